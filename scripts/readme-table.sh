#!/usr/bin/env bash
# Writes the README's table from a kept run: everything between its two marks. A test holds both equal.
#
#   scripts/readme-table.sh results/kept/quiet-machine
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=help.sh
source scripts/help.sh
# shellcheck source-path=SCRIPTDIR source=need.sh
source scripts/need.sh

[[ $# =~ ^[12]$ ]] || { echo "usage: scripts/readme-table.sh RUN [README]" >&2 && exit 2; }
run=${1%/} readme=${2:-README.md}
[ "$(grep -c '^<!-- table: \(begin\|end\)' "$readme")" -eq 2 ] || { echo "$readme does not have the two marks of the table" >&2 && exit 2; }

need cargo
block=$(mktemp)
trap 'rm -f "$block" "$block.new"' EXIT
cargo run --release --locked --quiet -p hello-bench -- report --block "$run" >"$block"
awk -v block="$block" -v run="$run" '
  /^<!-- table: begin/ { print "<!-- table: begin, made by scripts/readme-table.sh " run " -->"; within = 1
                         while ((getline line < block) > 0) print line }
  /^<!-- table: end/ { within = 0 }
  !within
' "$readme" >"$block.new"
cat "$block.new" >"$readme"
