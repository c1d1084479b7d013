# Every Rust server: docker build -f docker/rust.Dockerfile --build-arg SERVER=axum -t hello-bench/axum .
#
# All servers are built in one stage, each by itself as it is measured natively, so that the images of all share it; the
# last stage takes the one that is asked for. No `# syntax=` line: it would need a registry. Works with BuildKit and
# without. bench.Dockerfile begins with the same two stages, and so shares them too.

# What every crate says of itself, over empty programs: it changes only when a dependency does.
FROM rust:1.95-slim-bookworm AS manifests
COPY . /src
RUN find /src/crates -path '/src/crates/*/src/*' -delete && rm -rf /src/docker \
 && for crate in /src/crates/*; do \
      echo '//! Empty.' | tee "$crate/src/lib.rs" >"$crate/src/main.rs" && echo 'fn main() {}' >>"$crate/src/main.rs" || exit; \
    done

# Static by crt-static on the gnu target: the same libc and the same profile as native. (musl would compare two programs.)
# With a target named, the flag is not for build scripts and macros, which cannot be static.
FROM rust:1.95-slim-bookworm AS build
ENV RUSTFLAGS="-C target-feature=+crt-static"
WORKDIR /src
COPY --from=manifests /src /src
# Open to all (umask): the bench image runs as whoever owns the folder of the results.
RUN umask 0 && rustc -vV | sed -n 's/^host: //p' >/host \
 && for package in $(ls crates | grep ^server-); do \
      cargo build --release --locked --quiet --target "$(cat /host)" -p "$package" || exit; \
    done \
 && rm -r crates
COPY . /src
# cargo goes by the times of files, and those of a checkout may be older than the empty programs'.
RUN umask 0 && find crates -name '*.rs' -exec touch {} + && mkdir /servers \
 && for package in $(ls crates | grep ^server-); do \
      cargo build --release --locked --quiet --target "$(cat /host)" -p "$package" \
       && cp "target/$(cat /host)/release/$package" /servers || exit; \
    done

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
HEALTHCHECK --interval=1s --timeout=6s CMD ["/server", "--check"]
ENTRYPOINT ["/server"]
