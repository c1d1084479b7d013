#!/usr/bin/env bash
# Builds and starts targets in containers, one by one, so that what fails leaves the rest up; waits until each is healthy,
# and prints their URLs and what failed and why.
#
#   scripts/compose-up.sh                       all of them
#   scripts/compose-up.sh rust                  a group
#   scripts/compose-up.sh axum tokio            only these
#
# scripts/compose-down.sh ends them. Ends with 1 if something failed, with 2 if nothing could be tried.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=help.sh
source scripts/help.sh
# shellcheck source-path=SCRIPTDIR source=compose.sh
source scripts/compose.sh

# How long a container may take to become healthy, in seconds; it is told apart from one that has ended.
patience=${HELLO_BENCH_PATIENCE:-60}

[[ ${1:-} != -* ]] || refuse "usage: scripts/compose-up.sh [GROUP…|NAME…]"
names=$(services "$@")
need_compose
HELLO_BENCH_COMMIT=${HELLO_BENCH_COMMIT:-$(git rev-parse HEAD 2>/dev/null || echo unknown)}
export HELLO_BENCH_COMMIT

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# The part of a service's description that lies between its name and the next.
described() { sed -n "/^  $1:$/,/^$/p" "$compose_file"; }
port_of() { described "$1" | sed -n 's/^      PORT: "\(.*\)"$/\1/p'; }
image_of() { described "$1" | sed -n 's/^    image: //p'; }

# Who holds a port: another container, or a process, as far as this user may see.
holder() {
  local container process
  container=$(docker ps --filter "publish=$1" --format '{{.Names}}' | head -n 1)
  if [ -n "$container" ]; then
    echo "container $container"
    return
  fi
  process=$(ss -Hltnp "sport = :$1" 2>/dev/null | sed -n 's/.*users:(("\([^"]*\)",pid=\([0-9]*\).*/\1 (pid \2)/p' | head -n 1)
  echo "${process:-a process that this user may not see}"
}

# Why `up` failed, from what it said.
why_not_up() {
  case $(<"$log") in
    *"port is already allocated"* | *"address already in use"*) echo "port $2 is in use by $(holder "$2")" ;;
    *) grep -iE 'error|cannot|failed' "$log" | tail -n 1 || tail -n 1 "$log" ;;
  esac
}

# Why `build` failed, from what it said: a compiler's or a shell's own words say more than the line in which the builder
# gives up. The rest of what it said is one command away.
why_not_built() {
  local said pattern why=''
  said=$(sed 's/\x1b\[[0-9;]*m//g; s/^ *//' "$log" | grep -v '^$')
  for pattern in 'fatal error: ' ': not found$' '^.{0,12}(error|E:|ERROR)'; do
    [ -n "$why" ] || why=$(grep -m 1 -E "$pattern" <<<"$said" || true)
  done
  echo "${why:-$(tail -n 1 <<<"$said")}; all it says: ${compose[*]} build $1"
}

# Waits for what was started; prints nothing once it is healthy, else why it is not.
why_not_healthy() {
  local container=$1 state health status deadline=$((SECONDS + patience))
  while :; do
    read -r state status health <<<"$(docker inspect --format \
      '{{.State.Status}} {{.State.ExitCode}} {{if .State.Health}}{{.State.Health.Status}}{{else}}none{{end}}' "$container")"
    case "$state $health" in
      "running healthy") return ;;
      "running none") echo "its image has no health check" && return ;;
      running*) ;;
      *) echo "it ended with status $status: $(docker logs --tail 1 "$container" 2>&1)" && return ;;
    esac
    if [ "$SECONDS" -ge "$deadline" ]; then
      echo "it is not healthy after $patience s: $(docker inspect --format \
        '{{range .State.Health.Log}}{{.Output}}{{end}}' "$container" | tail -n 1)"
      return
    fi
    sleep 0.2
  done
}

failed=0 rows=()
declare -A built=() starting=()
row() { rows+=("$(printf '%-18s %s' "$1" "$2")"); }
fails() {
  failed=1
  row "$1" "FAILED: $2"
  echo "$1: FAILED: $2" >&2
}

for name in $names; do
  image=$(image_of "$name")
  if [ -z "${built[$image]:-}" ]; then
    echo "building $image" >&2
    if "${compose[@]}" build "$name" >"$log" 2>&1; then
      built[$image]=yes
    else
      built[$image]=$(why_not_built "$name")
    fi
  fi
  if [ "${built[$image]}" != yes ]; then
    fails "$name" "not built: ${built[$image]}"
  elif "${compose[@]}" up -d --no-build --no-deps "$name" >"$log" 2>&1; then
    starting[$name]=$("${compose[@]}" ps -q "$name")
  else
    fails "$name" "$(why_not_up "$name" "$(port_of "$name")")"
    # What was made and cannot run is not left to start by itself later.
    "${compose[@]}" rm -fs "$name" >/dev/null 2>&1 || true
  fi
done
for name in $names; do
  container=${starting[$name]:-}
  [ -n "$container" ] || continue
  why=$(why_not_healthy "$container")
  if [ -z "$why" ]; then
    row "$name" "http://${HELLO_BENCH_BIND:-127.0.0.1}:$(port_of "$name")/"
  else
    fails "$name" "$why"
  fi
done
printf '%s\n' "${rows[@]}" | sort
exit "$failed"
