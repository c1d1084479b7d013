#!/usr/bin/env bash
# Keeps a run in results/kept/, where git has it: its records with paths below this folder made relative, and its report,
# without the load tools' raw output.
#
#   scripts/keep-run.sh results/20261130T164215Z-host-1234567 quiet-machine     as results/kept/quiet-machine
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=help.sh
source scripts/help.sh
# shellcheck source-path=SCRIPTDIR source=need.sh
source scripts/need.sh

[ $# -eq 2 ] || { echo "usage: scripts/keep-run.sh RUN NAME" >&2 && exit 2; }
run=$1 kept=results/kept/$2
[ -f "$run/run.json" ] || { echo "$run is no run: it has no run.json" >&2 && exit 2; }
[[ $2 =~ ^[A-Za-z0-9][A-Za-z0-9.-]*$ ]] || { echo "$2 is no name: letters, digits, points and hyphens" >&2 && exit 2; }
[ ! -e "$kept" ] || { echo "$kept is there already, and a result is never overwritten" >&2 && exit 2; }

need cargo
built=$(target_dir)
cargo build --release --locked --quiet -p hello-bench
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
for file in run.json slices.jsonl; do
  sed -e "s#$built/#target/#g" -e "s#$PWD/##g" "$run/$file" >"$new/$file"
done
# Whatever other path is in it says more of this machine than a reader needs.
if grep -noE '"[^"]*/(home|root|tmp|Users|var/folders)/[^"]*"' "$new"/*; then
  echo "these paths are of this machine alone: make the run from a place that has none" >&2
  exit 1
fi
mkdir -p results/kept
cp -r "$new" "$kept"
chmod 755 "$kept"
"$built/release/hello-bench" report "$kept"
du -sh "$kept"
