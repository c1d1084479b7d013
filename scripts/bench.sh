#!/usr/bin/env bash
# The comparison: sets up what is missing, builds every server as it is measured, measures them side by side, and
# prints the table. All arguments go to `hello-bench run`; see `scripts/bench.sh --help`.
#
#   scripts/bench.sh --quick             a first look: two blocks, about two minutes after the build
#   scripts/bench.sh                     blocks enough for verdicts, in both shapes: about twenty minutes
#   scripts/bench.sh axum actix-web      only these
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=need.sh
source scripts/need.sh

need cargo cc ab wrk
built=$(target_dir)/release/hello-bench
cargo build --release --locked -p hello-bench
# The script becomes the program, so that Ctrl-C reaches it; not cargo, which would set variables for all it starts.
exec "$built" run "$@"
