/* Preloaded library: the k-th change of a file below a folder fails with an error or kills. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char folder[4096];
static long calls, failing = -1;
static int error;

void fault_arm(const char *root, long k, int number) {
    snprintf(folder, sizeof folder, "%s", root);
    calls = 0;
    failing = k;
    error = number; /* 0: SIGKILL */
}

long fault_calls(void) { return calls; }

static int fails(int ours) {
    if (!folder[0] || !ours || ++calls != failing) return 0;
    if (!error) kill(getpid(), SIGKILL);
    errno = error;
    return 1;
}

static int is_ours(const char *path) {
    return path && (path[0] != '/' || !strncmp(path, folder, strlen(folder)));
}

static int is_open_here(int fd) {
    char link[64], path[4096];
    if (!folder[0]) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0) return 0;
    path[n] = 0;
    return path[0] == '/' && is_ours(path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define WRAP(type, name, params, args, ours) \
    type name params { return fails(ours) ? -1 : NEXT(name) args; }

WRAP(ssize_t, write, (int fd, const void *b, size_t n), (fd, b, n), is_open_here(fd))
WRAP(int, fsync, (int fd), (fd), is_open_here(fd))
WRAP(int, ftruncate, (int fd, off_t n), (fd, n), is_open_here(fd))
WRAP(int, rename, (const char *a, const char *b), (a, b), is_ours(b))
WRAP(int, link, (const char *a, const char *b), (a, b), is_ours(b))
WRAP(int, unlink, (const char *a), (a), is_ours(a))
WRAP(int, mkdir, (const char *a, mode_t m), (a, m), is_ours(a))
WRAP(int, rmdir, (const char *a), (a), is_ours(a))

#define OPEN(name, first, arg, path) \
    int name(first const char *path, int flags, ...) { \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = va_arg(more, mode_t); \
        va_end(more); \
        return fails((flags & (O_CREAT | O_WRONLY | O_RDWR)) && is_ours(path)) \
                   ? -1 : NEXT(name)(arg path, flags, mode); \
    }
#define AND ,
OPEN(open, , , path)
OPEN(open64, , , path)
OPEN(openat, int at AND, at AND, path)
OPEN(openat64, int at AND, at AND, path)
