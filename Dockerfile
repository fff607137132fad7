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
RUN apt-get update \
    && apt-get install -y --no-install-recommends libmicrohttpd12 libpq5 libsqlite3-0 libstdc++6 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --no-create-home --home-dir /var/lib/reorderd \
        --shell /usr/sbin/nologin reorderd \
    && install -d -o reorderd -g reorderd /var/lib/reorderd
COPY --from=build /usr/local/bin/reorderd /usr/local/bin/
USER 10001:10001
ENV REORDERD_HOST=0.0.0.0 REORDERD_STORE=file:/var/lib/reorderd/reorderd.db
VOLUME /var/lib/reorderd
EXPOSE 8080
ENTRYPOINT ["reorderd"]
CMD ["serve"]
