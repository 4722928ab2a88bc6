"""A plugin file whose booster does what no booster should: ``hostile: {how: closes stdout}``.

`EXPECTED` tells how a run of each kind ends. What the kinds do to a process is real; only their
numbers are those of a booster that always answers the first class.
"""

import ctypes
import gc
import mmap
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np

from boostbench.registry import boosters

#: Seconds that processes sleep which a run leaves behind: by this they are known.
LEFT_BEHIND = "86321"
_EATEN = 3 * 2**30
kept = []


class OwnError(BaseException):
    pass


class MuteError(Exception):
    def __str__(self):
        raise RuntimeError("not even that")


class Mute:
    def __str__(self):
        raise GeneratorExit


def kills_itself(booster):
    print("goodbye", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def raises(error):
    def act(booster):
        raise error

    return act


def leaves(name, value):
    def act(booster):
        setattr(booster, name, value)

    return act


def eats_memory(booster):
    while True:
        kept.append(np.ones(2**22))


def maps_memory(booster):
    pages = mmap.mmap(-1, _EATEN)
    for start in range(0, _EATEN, 2**22):
        pages[start : start + 2**22] = b"x" * 2**22
        time.sleep(0.002)


def child_eats_memory(booster):
    program = f"x = b'x' * {_EATEN // 6}; import time; time.sleep(600)"
    kept.extend(subprocess.Popen([sys.executable, "-c", program]) for _ in range(6))
    time.sleep(600)


def prints_much(booster):
    for _ in range(100):
        print("x" * 2**20)


def patches_others(booster):
    from boostbench.boosters.samme import SAMME

    SAMME.fit = lambda self, X, y, **_: raises(RuntimeError("patched"))(self)
    np.argmax = np.argmin


def closes_streams(booster):
    sys.stdout.close()
    sys.stderr.close()


def closes_descriptors(booster):
    os.closerange(0, 1000)


def lowers_limits(booster):
    for limit, value in ((resource.RLIMIT_NOFILE, 4), (resource.RLIMIT_FSIZE, 10)):
        resource.setrlimit(limit, (value, value))


def lowers_memory(booster):
    resource.setrlimit(resource.RLIMIT_DATA, (2**20, 2**20))


def changes_settings(booster):
    os.chdir("/")
    os.umask(0o777)
    os.environ.clear()
    os.nice(5)
    np.random.seed(0)  # noqa: NPY002
    np.seterr(all="raise")
    warnings.simplefilter("error")
    gc.disable()
    sys.path.clear()
    sys.setrecursionlimit(200)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)


def leaves_children(booster):
    kept.append(subprocess.Popen(["sleep", LEFT_BEHIND]))
    kept.append(subprocess.Popen(["sleep", LEFT_BEHIND], start_new_session=True))
    if not os.fork():  # a daemon, as in the book
        os.setsid()
        if os.fork():
            os._exit(0)
        os.execvp("sleep", ["sleep", LEFT_BEHIND])


def leaves_children_and_hangs(booster):
    leaves_children(booster)
    sleeps(booster)


def comes_back_twice(booster):
    os.fork()


def leaves_a_thread(booster):
    threading.Thread(target=time.sleep, args=(600,)).start()


def sleeps(booster):
    print("sleeping", flush=True)
    time.sleep(600)


def recurses(booster):
    recurses(booster)


#: What is done, and the status that its run must have.
KINDS = {
    "raises a surrogate": (raises(ValueError("\udc80")), "failed"),
    "stops with a surrogate": (leaves("stop_reason_", "\udc80"), "ok"),
    "stops with a mute object": (leaves("stop_reason_", Mute()), "failed"),
    "raises KeyboardInterrupt": (raises(KeyboardInterrupt()), "failed"),
    "raises SystemExit": (raises(SystemExit(0)), "failed"),
    "raises its own BaseException": (raises(OwnError("mine")), "failed"),
    "raises a mute error": (raises(MuteError()), "failed"),
    "raises much": (raises(ValueError("x" * 50_000_000)), "failed"),
    "recurses": (recurses, "failed"),
    "exits with 7": (lambda booster: os._exit(7), "killed"),
    "crashes": (lambda booster: ctypes.string_at(0), "killed"),
    "kills itself": (kills_itself, "killed"),
    "kills its group": (lambda booster: os.killpg(0, signal.SIGKILL), "killed"),
    "kills its parent": (lambda booster: os.kill(os.getppid(), signal.SIGKILL), "killed"),
    "eats memory": (eats_memory, "out-of-memory"),
    "maps memory": (maps_memory, "out-of-memory"),
    "eats memory in children": (child_eats_memory, "out-of-memory"),
    "prints much": (prints_much, "ok"),
    "has NaN scores": (leaves("scale_", np.nan), "failed"),
    "has infinite scores": (leaves("scale_", np.inf), "failed"),
    "predicts for more rounds": (leaves("extra_", 10**9), "failed"),
    "patches others": (patches_others, "ok"),
    "closes its streams": (closes_streams, "ok"),
    "closes all descriptors": (closes_descriptors, "killed"),
    "lowers limits": (lowers_limits, "ok"),
    # What is left may not be enough for a library that cannot say so.
    "lowers its memory": (lowers_memory, ("ok", "failed", "out-of-memory", "killed")),
    "changes settings": (changes_settings, "ok"),
    "leaves children": (leaves_children, "ok"),
    "leaves children and hangs": (leaves_children_and_hangs, "timeout"),
    "comes back twice": (comes_back_twice, "ok"),
    "leaves a thread": (leaves_a_thread, "ok"),
    "sleeps": (sleeps, "timeout"),
    "stops itself": (lambda booster: os.kill(os.getpid(), signal.SIGSTOP), "timeout"),
}
EXPECTED = {how: status for how, (_, status) in KINDS.items()}


@boosters.register("hostile")
class Hostile:
    def __init__(self, n_estimators=10, *, how="sleeps", random_state=None):
        self.n_estimators = n_estimators
        self.how = how
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.scale_, self.extra_ = 1.0, 0
        KINDS[self.how][0](self)
        return self

    def staged_scores(self, X):
        F = np.zeros((len(X), len(self.classes_)))
        F[:, 0] = self.scale_
        for _ in range(self.n_estimators):
            yield F

    def staged_predict(self, X):
        for _ in range(self.n_estimators + self.extra_):
            yield np.full(len(X), self.classes_[0])
