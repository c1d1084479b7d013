# The whole comparison in one container, on a machine that has nothing but Docker:
#   docker compose -f docker/compose.yaml run --rm bench run --quick
# The harness measures the servers of the second stage as processes of the container, with load tools from Debian. The
# first two stages are those of rust.Dockerfile, to the letter, so that they are built once for both.

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

FROM build
RUN apt-get update -q && apt-get install -qy --no-install-recommends apache2-utils wrk && rm -rf /var/lib/apt/lists/*
RUN umask 0 && cargo build --release --locked --quiet --target "$(cat /host)" -p hello-bench \
 && ln -s "/src/target/$(cat /host)/release/hello-bench" /usr/local/bin/hello-bench
ENV CARGO_NET_OFFLINE=true
ENTRYPOINT ["/src/docker/bench-entrypoint"]
CMD ["--help"]
