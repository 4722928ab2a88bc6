# docker build -t boostbench . && docker run --user "$(id -u)" -v "$PWD:/work" boostbench run quickstart --jobs 2
FROM python:3.13-slim
COPY . /src
RUN pip install --no-cache-dir --constraint /src/constraints.txt /src && rm -r /src
# any --user may write here, whatever its home
ENV BOOSTBENCH_CACHE=/var/cache/boostbench MPLCONFIGDIR=/var/cache/matplotlib NUMBA_CACHE_DIR=/var/cache/numba
RUN mkdir "$BOOSTBENCH_CACHE" "$MPLCONFIGDIR" "$NUMBA_CACHE_DIR" && useradd --create-home boostbench
# compiles the kernels for the processor that builds the image
RUN boostbench run quickstart --set seeds=1 --set rounds=2 --results warm && rm -r warm \
 && chmod -R a+rwX "$BOOSTBENCH_CACHE" "$MPLCONFIGDIR" "$NUMBA_CACHE_DIR"
USER boostbench
WORKDIR /work
ENTRYPOINT ["boostbench"]
