#!/usr/bin/env bash
# Starts one server, drives it with wrk as one would by hand, shows wrk's own report, and stops the server.
#
#   scripts/wrk.sh axum                                          wrk -t1 -c64 -d5s
#   scripts/wrk.sh axum -t1 -c64 -d5s -H 'Connection: close'     with options of wrk
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=help.sh
source scripts/help.sh
# shellcheck source-path=SCRIPTDIR source=need.sh
source scripts/need.sh
# shellcheck source-path=SCRIPTDIR source=start-server.sh
source scripts/start-server.sh

if [ $# -eq 0 ] || [[ $1 == -* ]]; then
  echo "usage: scripts/wrk.sh NAME [wrk options, by default -t1 -c64 -d5s]" >&2
  exit 2
fi
need cargo cc wrk
name=$1
shift
[ $# -gt 0 ] || set -- -t1 -c64 -d5s
start_server "$name"
show_and_run wrk "$@" "$url"
