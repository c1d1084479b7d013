#!/usr/bin/env bash
# Starts one server, drives it with ab as one would by hand, shows ab's own report, and stops the server.
#
#   scripts/ab.sh axum                          ab -n 10000 -c 5
#   scripts/ab.sh axum -k -n 50000 -c 64        with options of ab
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=help.sh
source scripts/help.sh
# shellcheck source-path=SCRIPTDIR source=need.sh
source scripts/need.sh
# shellcheck source-path=SCRIPTDIR source=start-server.sh
source scripts/start-server.sh

if [ $# -eq 0 ] || [[ $1 == -* ]]; then
  echo "usage: scripts/ab.sh NAME [ab options, by default -n 10000 -c 5]" >&2
  exit 2
fi
need cargo cc ab
name=$1
shift
[ $# -gt 0 ] || set -- -n 10000 -c 5
start_server "$name"
show_and_run ab "$@" "$url"
