#!/usr/bin/env bash
# Drives several servers with ab or wrk, one after the other, as one would by hand, and puts what the tool says side by
# side. One pass each and no statistics: noise looks like a difference here. scripts/bench.sh is for comparing.
#
#   scripts/compare.sh ab tokio axum            scripts/ab.sh for each, with its default options
#   scripts/compare.sh wrk tokio axum -- -t1 -c64 -d5s      the same with wrk, and options of the tool after --
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=help.sh
source scripts/help.sh

tool=${1:-}
if [[ $tool != ab && $tool != wrk ]] || [ $# -lt 2 ]; then
  echo "usage: scripts/compare.sh ab|wrk NAME… [-- options of the tool]" >&2
  exit 2
fi
shift
names=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  names+=("$1")
  shift
done
[ $# -eq 0 ] || shift
if [ ${#names[@]} -eq 0 ]; then
  echo "scripts/compare.sh: no server is named" >&2
  exit 2
fi

# What a tool's report says: rate, mean latency, and whatever it counted as wrong.
summary() {
  awk -v name="$1" '
    /^Requests per second:/ { rate = $4 }
    /^Time per request:.*\(mean\)/ { mean = $4 " ms" }
    /^Failed requests:/ { wrong += $3 }
    /^Non-2xx responses:/ { wrong += $3 }
    /^Requests\/sec:/ { rate = $2 }
    /^ +Latency/ { mean = $2 }
    /^ +Socket errors:/ { gsub(",", ""); wrong += $4 + $6 + $8 + $10 }
    /^ +Non-2xx or 3xx responses:/ { wrong += $5 }
    END { printf "%-16s %12s %12s %8d\n", name, rate ? rate : "failed", mean ? mean : "-", wrong }'
}

failed=0
rows=()
for name in "${names[@]}"; do
  if report=$(scripts/"$tool".sh "$name" "$@"); then
    rows+=("$(summary "$name" <<<"$report")")
  else
    failed=1
    rows+=("$(printf '%-16s %12s %12s %8s' "$name" failed - -)")
  fi
  printf '== %s\n%s\n\n' "$name" "${report:-}"
done
printf '%-16s %12s %12s %8s\n' server "requests/s" "mean" wrong
printf '%s\n' "${rows[@]}"
echo "One pass of $tool each: no statistics, no check of the answers. scripts/bench.sh compares."
exit "$failed"
