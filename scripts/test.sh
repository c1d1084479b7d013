#!/usr/bin/env bash
# All tests, in stages with a time budget each.
#
#   scripts/test.sh                 every stage that CI runs
#   scripts/test.sh fmt unit        only these
#   scripts/test.sh --all           also those that take long or need more tools
#   scripts/test.sh --list          the stages, their budgets in seconds and what they do
set -uo pipefail
cd "$(dirname "$0")/.." || exit
# shellcheck source-path=SCRIPTDIR source=help.sh
source scripts/help.sh
# shellcheck source-path=SCRIPTDIR source=need.sh
source scripts/need.sh
# shellcheck source-path=SCRIPTDIR source=test-stages.sh
source scripts/test-stages.sh

all=no chosen=()
for arg in "$@"; do
  case "$arg" in
    --list) echo "stage, budget in seconds, when, what:$stages" | column -t -l 4 2>/dev/null || echo "$stages" && exit 0 ;;
    --all) all=yes ;;
    -*) echo "usage: scripts/test.sh [--list] [--all] [STAGE…]" >&2 && exit 2 ;;
    *) declare -F "stage_$arg" >/dev/null || { echo "no stage is called $arg; see --list" >&2 && exit 2; } && chosen+=("$arg") ;;
  esac
done
need cargo cc

passed=0 failed=()
while read -r name budget when what; do
  [ -n "$name" ] || continue
  if [ ${#chosen[@]} -gt 0 ]; then [[ " ${chosen[*]} " == *" $name "* ]] || continue
  elif [ "$when" = all ] && [ $all = no ]; then continue; fi
  echo "== $name: $what"
  began=$SECONDS
  if timeout --kill-after=10 "$budget" bash -uo pipefail -c "source scripts/need.sh; source scripts/test-stages.sh; stage_$name" </dev/null; then
    passed=$((passed + 1)) && word=passed
  else
    failed+=("$name") && word="FAILED"
  fi
  echo "== $name $word in $((SECONDS - began)) s of $budget"
done <<<"$stages"

[ ${#failed[@]} -eq 0 ] || echo "failed: ${failed[*]}"
echo "$passed passed, ${#failed[@]} failed"
[ ${#failed[@]} -eq 0 ]
