# The notification service. docker build -t cepheid . && docker run -p 8080:8080 -v cepheid:/var/lib/cepheid cepheid

FROM python:3.12-slim-bookworm AS built
WORKDIR /src
RUN python -m venv /opt/cepheid
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY src ./src
RUN /opt/cepheid/bin/pip install --no-cache-dir -c constraints.txt '.[service,postgres,channels,mqtt]'

FROM python:3.12-slim-bookworm
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/cepheid cepheid \
    && mkdir -p /var/cache/cepheid \
    && chown cepheid:cepheid /var/cache/cepheid
COPY --from=built /opt/cepheid /opt/cepheid
ENV PATH=/opt/cepheid/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    CEPHEID_CACHE_DIR=/var/cache/cepheid \
    CEPHEID_DB=sqlite:////var/lib/cepheid/cepheid.db \
    CEPHEID_HOST=0.0.0.0 \
    CEPHEID_PORT=8080
USER cepheid
WORKDIR /var/lib/cepheid
# Kernels are compiled once, into the image: for a minute or two.
RUN cepheid warm-up
VOLUME /var/lib/cepheid
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f'http://127.0.0.1:{os.environ[\"CEPHEID_PORT\"]}/ready', timeout=4)"]
STOPSIGNAL SIGTERM
CMD ["cepheid", "serve"]
