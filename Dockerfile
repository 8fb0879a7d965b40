# The base image is pinned by the digest of its index, which covers linux/amd64 and linux/arm64.
ARG PYTHON=python:3.13.15-slim-trixie@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b

FROM ${PYTHON} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
# Only wheels with known hashes are installed, so no downloaded code runs during the build.
COPY requirements.lock requirements-build.lock ./
RUN python -m venv --without-pip /opt/deeprepo \
    && python -m venv --without-pip /opt/build \
    && python -m pip --python /opt/deeprepo/bin/python install --no-deps --only-binary :all: --require-hashes -r requirements.lock \
    && python -m pip --python /opt/build/bin/python install --no-deps --only-binary :all: --require-hashes -r requirements-build.lock
COPY pyproject.toml README.md LICENSE ./
COPY bot bot
COPY deeprepo deeprepo
COPY templates templates
COPY docs/workflows/deeprepo.yml docs/workflows/
RUN /opt/build/bin/python -m hatchling build --target wheel --directory /dist \
    && python -m pip --python /opt/deeprepo/bin/python install --no-deps --no-index /dist/*.whl

FROM ${PYTHON}
# git is not pinned, because the distribution removes old versions from its servers.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --no-install-recommends --yes git \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log /usr/local/lib/python3.13/site-packages/pip* /usr/local/bin/pip*
# The user has a fixed ID, so that a mounted folder can be given the right owner.
RUN groupadd --gid 10001 deeprepo \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin deeprepo \
    && install --directory --owner 10001 --group 10001 --mode 0700 /data /app
COPY --from=build /opt/deeprepo /opt/deeprepo
ENV PATH=/opt/deeprepo/bin:/usr/local/bin:/usr/bin:/bin \
    HOME=/data \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    DEEPREPO_DATA=/data \
    DEEPREPO_HOST=0.0.0.0 \
    DEEPREPO_PORT=8000
USER 10001:10001
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import http.client, os; c = http.client.HTTPConnection('127.0.0.1', int(os.environ['DEEPREPO_PORT']), timeout=4); c.request('GET', '/healthz'); raise SystemExit(c.getresponse().status != 200)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["deeprepo"]
CMD ["serve"]
