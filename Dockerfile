# docker build -t boostbench . && docker run -v "$PWD:/work" boostbench run quickstart --jobs 2
FROM python:3.13-slim
COPY . /src
RUN pip install --no-cache-dir /src && rm -r /src
# compiles the kernels for the processor that builds the image
RUN boostbench run quickstart --set seeds=1 --set rounds=2 --results warm && rm -r warm
WORKDIR /work
ENTRYPOINT ["boostbench"]
