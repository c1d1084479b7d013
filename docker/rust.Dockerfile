# Every Rust server: docker build -f docker/rust.Dockerfile --build-arg SERVER=axum -t hello-bench/axum .
#
# All servers are built in one stage, so that the images of all share it; the last stage takes the one that is asked for.
# No `# syntax=` line: it would need a registry. Works with BuildKit and without.

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

FROM scratch
ARG SERVER
COPY --from=build /servers/server-${SERVER} /server
ARG VERSION=unknown
ARG COMMIT=unknown
LABEL org.opencontainers.image.title="server-${SERVER}" \
      org.opencontainers.image.description="Hello World on ${SERVER}, one of the servers of hello-bench" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${COMMIT}" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
USER 65532:65532
ENV HOST=0.0.0.0
STOPSIGNAL SIGTERM
# There is no shell to put PORT into a URL: without one, --check asks the server's own address.
HEALTHCHECK --interval=10s --timeout=6s CMD ["/server", "--check"]
ENTRYPOINT ["/server"]
