#!/usr/bin/env bash
# Runs the scripts as the README has them, and looks at what they print and leave behind.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Prints and ends: what was wanted, and the output that does not have it.
wrong() {
  echo "WRONG: $1" >&2
  cat "$folder/out" >&2
  exit 1
}

# Runs a command; its exit status must be the given one.
runs() {
  local wanted=$1 status=0
  shift
  echo "\$ $*"
  "$@" >"$folder/out" 2>&1 || status=$?
  [ "$status" -eq "$wanted" ] || wrong "status $status instead of $wanted"
}

# The last output has a line like this, as often as given.
says() { [ "$(grep -cE "$1" "$folder/out")" -ge "${2:-1}" ] || wrong "no line like '$1'"; }

servers=(crates/server-*)
runs 0 scripts/bench.sh --quick --out "$folder/run"
for server in "${servers[@]}"; do
  name=${server#crates/server-}
  says "^(│| )*$name +[0-9]" 1
done
if grep -q FAILED "$folder/out"; then wrong "a server failed"; fi
# The baseline takes part twice.
[ "$(grep -c '"shape":"close".*"valid"' "$folder/run/slices.jsonl")" -ge $((2 * (${#servers[@]} + 1))) ] || wrong "not every slice is valid"

runs 0 scripts/ab.sh axum -k -n 2000 -c 10
says '^Failed requests: +0$'
says '^Keep-Alive requests: +2000$'
runs 0 scripts/wrk.sh tokio -t1 -c8 -d1s
says '^Requests/sec: '
runs 0 scripts/compare.sh ab tokio server-axum
says '^(tokio|server-axum) +[0-9.]+ +[0-9.]+ ms +0$' 2
says 'no statistics'
runs 2 scripts/ab.sh nosuch
says 'no server is called nosuch'
runs 2 scripts/compare.sh curl tokio
runs 2 scripts/compare.sh ab -- tokio
runs 2 scripts/serve.sh nosuch
if pgrep -f "^$PWD/target/release/server-" >"$folder/out"; then wrong "a server is left"; fi
echo "the scripts do as they say"
