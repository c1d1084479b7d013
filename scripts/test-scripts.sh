#!/usr/bin/env bash
# Runs the scripts as the README has them, and looks at what they print and leave behind.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=help.sh
source scripts/help.sh

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

for script in scripts/*.sh; do
  if [ ! -x "$script" ] || [ "$script" = scripts/bench.sh ]; then continue; fi
  runs 0 "$script" --help
  [ "# $(head -n 1 "$folder/out")" = "$(sed -n 2p "$script")" ] || wrong "$script does not say what it does"
done

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
# A run that was made below /tmp names it, and is not kept; without that it is, with its report and no raw output.
kept=results/kept/test-of-the-scripts
trap 'rm -rf "$folder" "$kept"; rmdir results/kept 2>/dev/null || true' EXIT
runs 1 scripts/keep-run.sh "$folder/run" "${kept##*/}"
says 'are of this machine alone'
cp -r "$folder/run" "$folder/neutral"
sed -i "s#$folder/##g" "$folder"/neutral/*.json*
runs 0 scripts/keep-run.sh "$folder/neutral" "${kept##*/}"
for file in run.json slices.jsonl report.html report.md report.csv summary.json charts/close-cost.svg; do
  [ -s "$kept/$file" ] || wrong "$kept has no $file"
done
[ ! -e "$kept/raw" ] || wrong "raw output is kept"
runs 2 scripts/keep-run.sh "$folder/neutral" "${kept##*/}"
cp README.md "$folder/README.md"
runs 0 scripts/readme-table.sh "$kept" "$folder/README.md"
cp "$folder/README.md" "$folder/once"
runs 0 scripts/readme-table.sh "$kept" "$folder/README.md"
cmp "$folder/once" "$folder/README.md" || wrong "a second time makes another table"
[ "$(grep -c "keep-alive-cost-ratio.svg" "$folder/once")" -eq 1 ] || wrong "the README has no figure"
diff <(sed '/^<!-- table: begin/,/^<!-- table: end/d' README.md) <(sed '/^<!-- table: begin/,/^<!-- table: end/d' "$folder/once") ||
  wrong "something beside the table is another"

if pgrep -f "^$PWD/target/release/server-" >"$folder/out"; then wrong "a server is left"; fi
echo "the scripts do as they say"
