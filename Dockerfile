# Build: the toolchain and the libraries' headers. Run: Debian, the libraries, one binary.
FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends libmicrohttpd-dev libpq-dev libsqlite3-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
# The cache keeps the dependencies' builds from one build of this image to the next.
# -s: the symbols are a quarter of the binary.
RUN --mount=type=cache,target=/src/.build,sharing=locked \
    swift build -c release --product reorderd --static-swift-stdlib -Xlinker -s \
    && install .build/release/reorderd /usr/local/bin/

FROM debian:bookworm-slim
# A fixed number: volumes keep their owner, and platforms can check that it isn't root.
# What the packages' manager leaves behind is of no use to an image that never installs again.
RUN apt-get update \
    && apt-get install -y --no-install-recommends libmicrohttpd12 libpq5 libsqlite3-0 libstdc++6 \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /var/lib/reorderd \
        --shell /usr/sbin/nologin --no-log-init reorderd \
    && install -d -m 700 -o reorderd -g reorderd /var/lib/reorderd \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/cache/ldconfig/* \
        /var/log/* /var/lib/dpkg/*-old
COPY --from=build /usr/local/bin/reorderd /usr/local/bin/
USER 10001:10001
WORKDIR /var/lib/reorderd
ENV REORDERD_HOST=0.0.0.0 REORDERD_PORT=8080 REORDERD_STORE=file:/var/lib/reorderd/reorderd.db
VOLUME /var/lib/reorderd
EXPOSE 8080
STOPSIGNAL SIGTERM
# Without a shell, as the server itself.
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s --retries=3 CMD ["reorderd", "health"]
ENTRYPOINT ["reorderd"]
CMD ["serve"]
