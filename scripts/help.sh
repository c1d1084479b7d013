# shellcheck shell=bash
# Sourced by the other scripts: with --help they print the comment that they begin with, and end.
if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "scripts/$(basename "$0")"
  exit 0
fi
