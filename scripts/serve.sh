#!/usr/bin/env bash
# Starts one server, built as it is measured, until Ctrl-C.
#
#   scripts/serve.sh axum                       on its own port
#   scripts/serve.sh axum --port 9000           with options of the server; --help shows them
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=help.sh
source scripts/help.sh
# shellcheck source-path=SCRIPTDIR source=need.sh
source scripts/need.sh

if [ $# -eq 0 ] || [[ $1 == */* ]] || [ ! -d "crates/server-${1#server-}" ]; then
  echo "usage: scripts/serve.sh NAME [server options]; NAME is one of: $(cd crates && echo server-* | sed 's/server-//g')" >&2
  exit 2
fi
need cargo cc
name=${1#server-}
shift
built=$(target_dir)/release/server-$name
cargo build --release --locked -p "server-$name"
exec "$built" "$@"
