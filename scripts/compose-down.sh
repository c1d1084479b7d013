#!/usr/bin/env bash
# Ends what scripts/compose-up.sh started, and removes it; images stay.
#
#   scripts/compose-down.sh                     all of it
#   scripts/compose-down.sh axum                only this; groups as well
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=help.sh
source scripts/help.sh
# shellcheck source-path=SCRIPTDIR source=compose.sh
source scripts/compose.sh

[[ ${1:-} != -* ]] || refuse "usage: scripts/compose-down.sh [GROUP…|NAME…]"
if [ $# -eq 0 ]; then
  need_compose
  exec "${compose[@]}" down --remove-orphans
fi
names=$(services "$@")
need_compose
# shellcheck disable=SC2086 # names of services have no blanks
exec "${compose[@]}" rm -fs $names
