# The server, the bot and the keeper in one image: `docker run IMAGE serve --host 0.0.0.0`, `… bot`, `… add /documents --watch`.
FROM python:3.12-slim AS build
WORKDIR /build
COPY requirements/image.txt requirements/build.txt requirements/
RUN python -m venv /app && /app/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements/image.txt
# What builds the wheel stays behind.
RUN python -m venv /builder && /builder/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY src src
COPY sample sample
COPY docs docs
RUN /builder/bin/python -m hatchling build -t wheel -d /wheel \
  && /app/bin/pip install --no-cache-dir --no-deps /wheel/*.whl

FROM python:3.12-slim
RUN useradd --system --uid 10001 --create-home --home-dir /data sourcebook
COPY --from=build /app /app
ENV PATH=/app/bin:$PATH PYTHONUNBUFFERED=1 SOURCEBOOK_DB=/data/knowledge_base.db
WORKDIR /data
USER 10001
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8080/healthz', timeout=4)"]
ENTRYPOINT ["sourcebook"]
CMD ["serve", "--host", "0.0.0.0"]
