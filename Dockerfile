# docker build -t boostbench . && docker run -v "$PWD:/work" boostbench run quickstart --jobs 2
FROM python:3.13-slim
COPY . /src
RUN pip install --no-cache-dir /src && rm -r /src && python -m boostbench.kernels
WORKDIR /work
ENTRYPOINT ["boostbench"]
