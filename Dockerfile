# The build stage has the toolchain and the libraries' headers. The final image has one binary and its libraries, and no shell.
FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends libcurl4-gnutls-dev libgnutls28-dev libgoogle-perftools-dev libmicrohttpd-dev libpq-dev \
        libsqlite3-dev pkg-config zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
# The build folder is a cache that outlives the build: after a change of sources, only what depends on them is built
# again. -s: the symbols are a quarter of the binary.
RUN --mount=type=cache,target=/src/.build \
    swift build -c release --product reorderd --static-swift-stdlib -Xlinker -s \
    && install .build/release/reorderd /usr/local/bin/

# The content of the image: the binary, the libraries that it loads, a user, and folders that the user can write to.
FROM debian:bookworm-slim AS files
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libcurl3-gnutls libmicrohttpd12 libpq5 libsqlite3-0 libstdc++6 \
        libtcmalloc-minimal4 zlib1g \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local/bin/reorderd /usr/local/bin/
# A fixed user id, so that volumes keep their owner, and platforms can check that it is not root.
RUN mkdir -p /image/etc /image/var/lib \
    && ldd /usr/local/bin/reorderd | grep -oE '/[^ ]+' | xargs cp --dereference --parents -t /image \
    && cp --parents /usr/local/bin/reorderd /etc/os-release /etc/ssl/certs/ca-certificates.crt /image \
    && echo 'reorderd:x:10001:10001::/var/lib/reorderd:/usr/sbin/nologin' > /image/etc/passwd \
    && echo 'reorderd:x:10001:' > /image/etc/group \
    && install -d -m 1777 /image/tmp && install -d -m 700 -o 10001 -g 10001 /image/var/lib/reorderd

FROM scratch
LABEL org.opencontainers.image.version="1.0.0-rc.1"
COPY --from=files /image /
USER 10001:10001
WORKDIR /var/lib/reorderd
ENV PATH=/usr/local/bin REORDERD_HOST=0.0.0.0 REORDERD_PORT=8080 REORDERD_STORE=file:/var/lib/reorderd/reorderd.db
VOLUME /var/lib/reorderd
EXPOSE 8080
STOPSIGNAL SIGTERM
# The check needs no shell, like the server itself.
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s --retries=3 CMD ["reorderd", "health"]
ENTRYPOINT ["reorderd"]
CMD ["serve"]
