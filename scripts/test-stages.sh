# shellcheck shell=bash
# Sourced by test.sh: the stages of the tests. Each is a line here and a function below.

# name, budget in seconds, when it runs, what it does
# shellcheck disable=SC2034 # test.sh reads it
stages="
fmt 60 always formatting
clippy 600 always lints, as errors
docs 600 always documentation builds without a warning
shellcheck 60 always lints of the scripts
licences 900 all licences, sources and duplicates of every dependency (cargo-deny)
unit 900 always unit and property tests, recorded outputs of the load tools
fuzz 900 always the HTTP/1.1 connection under a fuzzer for 20 s (where nightly Rust is there)
build 1500 always every server, as it is measured
features 120 always what a build of all servers together would change
servers 900 always every server started and driven by hand-made requests, ab and wrk
harness 1500 always the harness against servers that go wrong, signals and bad input
pages 900 always reports in a real browser: both schemes, a phone, paper, sorting and filtering
scripts 1200 always the scripts as the README has them
originals 1200 always originals in Python, Node.js, nginx, Java and Ruby installed, started, verified, driven by ab and wrk
all_originals 3600 all the same with every original; the result is kept in results/originals.md
docker 1800 always every Rust server, and an original of each Dockerfile, in containers, and the comparison there
containers 3600 all the same with every original; the result is kept in results/containers.md
"

stage_fmt() { cargo fmt --check && cargo fmt --check --manifest-path crates/hello/fuzz/Cargo.toml; }
stage_clippy() { cargo clippy --workspace --all-targets --locked --quiet -- -D warnings; }
stage_docs() { RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet; }
stage_shellcheck() {
  need shellcheck && shellcheck -x scripts/*.sh docker/*.sh docker/build-servers docker/empty-crate docker/bench-entrypoint \
    .ci/run docker/originals/*/{install,entrypoint}
}
stage_licences() {
  command -v cargo-deny >/dev/null || cargo install cargo-deny --locked --quiet || return
  cargo deny --log-level warn check licenses sources bans
}
stage_unit() { need ab wrk && cargo test --workspace --locked --lib --bins --test 'load*' --test readme --quiet && cargo test --workspace --locked --doc --quiet; }
stage_fuzz() {
  cargo +nightly --version >/dev/null 2>&1 || { echo "no nightly Rust here: not run" && return 0; }
  command -v cargo-fuzz >/dev/null || cargo install cargo-fuzz --locked --quiet || return
  cargo +nightly fuzz run --fuzz-dir crates/hello/fuzz http1 -- -max_total_time=20 -max_len=4096 2>&1 | tail -n 5
}
stage_build() {
  local server
  for server in crates/server-*; do
    cargo build --release --locked --quiet -p "${server#crates/}" || return
  done
  cargo build --release --locked --quiet -p hello-bench
}
stage_features() { cargo run --release --locked --quiet -p hello-bench -- features; }
stage_servers() { need ab wrk && cargo test --locked -p hello-bench --test servers; }
stage_harness() { need ab wrk && cargo test --locked -p hello-bench --test harness; }
stage_pages() { need chromium && cargo test --locked -p hello-bench --test pages; }
stage_scripts() { scripts/test-scripts.sh; }
stage_originals() {
  local names="wsgiref gevent gevent-nodelay cherrypy paste pyramid-paste pyramid-gevent-nodelay bottle tornado meinheld
    eventlet gunicorn-sync gunicorn-gthread twisted-resource twisted-wsgi uwsgi uwsgi-http-socket uwsgi-nginx nodejs
    nginx-return nginx-memcached tomcat-java puma"
  need ab wrk && scripts/originals.sh install wsgiref gevent cherrypy paste pyramid bottle tornado meinheld eventlet \
    gunicorn twisted uwsgi node nginx nginx-memcached tomcat puma &&
    HELLO_BENCH_ORIGINALS=$names cargo test --locked -p hello-bench --test originals
}
stage_all_originals() {
  need ab wrk && scripts/originals.sh install all &&
    HELLO_BENCH_ORIGINALS_RESULT=$PWD/results/originals.md cargo test --locked -p hello-bench --test originals
}
stage_docker() { scripts/test-docker.sh; }
stage_containers() { scripts/test-docker.sh --all; }
