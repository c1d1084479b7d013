# The whole comparison in one container, on a machine that has nothing but Docker:
#   docker compose -f docker/compose.yaml run --rm bench run --quick
#
# The harness measures the servers of the second stage as processes of the container, with load tools from Debian. The
# first two stages are those of rust.Dockerfile, to the letter, so that they are built once for both.

# Two copies of the workspace: what every crate says of itself over empty programs, which changes only when a dependency
# does; and the servers whole with the harness empty, so that a change in the harness builds no server anew.
FROM rust:1.95-slim-bookworm AS sources
COPY Cargo.toml Cargo.lock /servers/
COPY crates /servers/crates
COPY docker/empty-crate /usr/local/bin/
RUN cp -r /servers /empty && empty-crate /empty/crates/* && empty-crate /servers/crates/bench

# Static by crt-static on the gnu target: the same libc and the same profile as native. (musl would compare two programs.)
# With a target named, the flag is not for build scripts and macros, which cannot be static.
FROM rust:1.95-slim-bookworm AS build
ENV RUSTFLAGS="-C target-feature=+crt-static"
WORKDIR /src
COPY docker/build-servers /usr/local/bin/
COPY --from=sources /empty /src
RUN build-servers && rm -r crates
COPY --from=sources /servers /src
# cargo goes by the times of files, and those of a checkout may be older than the empty programs'.
RUN find crates -name '*.rs' -exec touch {} + && build-servers /servers

FROM build
RUN apt-get update -q && apt-get install -qy --no-install-recommends apache2-utils wrk && rm -rf /var/lib/apt/lists/*
# Every crate of the lock file, also those of other platforms: without a network cargo describes the workspace from them.
RUN umask 0 && cargo fetch --locked && chmod -R a+rwX "$CARGO_HOME"
COPY crates/bench /src/crates/bench
RUN umask 0 && find crates/bench -name '*.rs' -exec touch {} + \
 && cargo build --release --locked --quiet --target "$(cat /host)" -p hello-bench \
 && ln -s "/src/target/$(cat /host)/release/hello-bench" /usr/local/bin/
COPY docker/bench-entrypoint /usr/local/bin/
ENV CARGO_NET_OFFLINE=true
ENTRYPOINT ["bench-entrypoint"]
CMD ["--help"]
