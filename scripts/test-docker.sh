#!/usr/bin/env bash
# Brings the targets up in containers as the docs have it, and looks at what they do and leave behind.
#
#   scripts/test-docker.sh           all Rust servers, one original for each distinct Dockerfile, and the bench image
#   scripts/test-docker.sh --all     every original; the result is kept in results/containers.md
#
# Starts dockerd itself if none runs, and ends the one that it started; builds stand-ins for base images if a registry of
# images cannot be reached. Images stay, so that a second time is quick.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=help.sh
source scripts/help.sh
# shellcheck source-path=SCRIPTDIR source=need.sh
source scripts/need.sh
# shellcheck source-path=SCRIPTDIR source=compose.sh
source scripts/compose.sh

folder=$(mktemp -d)
daemon=
port_holder=
ended() {
  [ -z "$port_holder" ] || kill "$port_holder" 2>/dev/null || true
  if docker version >/dev/null 2>&1; then scripts/compose-down.sh >/dev/null 2>&1 || true; fi
  if [ -n "$daemon" ]; then
    kill "$daemon" || true
    wait "$daemon" || true
    # Its rules would stay, and have the kernel track every connection: a comparison fills that table in seconds.
    iptables-restore <"$folder/rules" || true
  fi
  rm -rf "$folder"
}
trap ended EXIT
trap 'exit 130' INT TERM HUP

# Prints and ends: what was wanted, and the output that does not have it.
wrong() {
  echo "WRONG: $1" >&2
  grep -E 'DIFFERS|UNTRUE|FAILED' "$folder/out" >&2 || tail -n 40 "$folder/out" >&2
  exit 1
}

# Runs a command; its exit status must be the given one.
runs() {
  local wanted=$1 status=0 began=$SECONDS
  shift
  "$@" >"$folder/out" 2>&1 || status=$?
  echo "\$ $*   ($((SECONDS - began)) s)"
  [ "$status" -eq "$wanted" ] || wrong "status $status instead of $wanted"
}

# The last output has a line like this, as often as given; that it is the only one can be asked too.
says() { [ "$(grep -cE "$1" "$folder/out")" -ge "${2:-1}" ] || wrong "no line like '$1'"; }
says_in_one_line() { says "$1" && { [ "$(wc -l <"$folder/out")" -eq 1 ] || wrong "more than one line"; }; }

need cargo cc ab wrk docker dockerd docker-compose
if ! docker version >/dev/null 2>&1; then
  [ "$(id -u)" -eq 0 ] || { echo "no Docker daemon runs, and only root may start one" >&2 && exit 2; }
  # A network below the machine's own that fits fewer bytes than the bridge says would lose the largest packets.
  mtu=$(cat "/sys/class/net/$(ip route show default | sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -n 1)/mtu")
  { iptables-save -t filter && iptables-save -t nat; } >"$folder/rules"
  dockerd --mtu "${mtu:-1500}" >"$folder/dockerd.log" 2>&1 &
  daemon=$!
  tries=0
  until docker version >/dev/null 2>&1; do
    if ! kill -0 "$daemon" 2>/dev/null || [ $((tries += 1)) -gt 300 ]; then
      cp "$folder/dockerd.log" "$folder/out" && wrong "dockerd does not start"
    fi
    sleep 0.2
  done
fi
need_compose

# Base images: as they are published, else stand-ins.
if ! docker image inspect debian:bookworm-slim >/dev/null 2>&1 && ! timeout 60 docker pull -q debian:bookworm-slim >/dev/null 2>&1; then
  need debootstrap
  runs 0 docker/base-images.sh
fi

# The Compose schema holds both files, whoever wrote them.
for file in docker/compose.yaml docker/compose.host.yaml; do
  runs 0 docker-compose -f "$file" config -q
done

# One line each for what is wrong with Docker itself.
runs 2 env DOCKER_HOST=unix://"$folder"/none.sock scripts/compose-up.sh axum
says_in_one_line 'the Docker daemon is not running; start it'
runs 2 setpriv --reuid 65534 --regid 65534 --clear-groups scripts/compose-up.sh axum
says_in_one_line 'may not use the Docker daemon.s socket; add it to the group'
mkdir "$folder/old"
printf '#!/bin/sh\necho 1.21.0\n' >"$folder/old/docker-compose"
# shellcheck disable=SC2016 # for the shell that is written
printf '#!/bin/sh\n[ "$1" != compose ] && exec %s "$@"\n' "$(command -v docker)" >"$folder/old/docker"
chmod +x "$folder"/old/*
runs 2 env PATH="$folder/old:$PATH" scripts/compose-up.sh axum
says_in_one_line 'docker-compose 1.21.0 is too old; 1.28 or newer is needed'
runs 2 scripts/compose-up.sh nosuch
says 'no service or group is called nosuch; services: tokio '

bench=$(target_dir)/release/hello-bench
cargo build --release --locked --quiet -p hello-bench
runs 2 env DOCKER_HOST=unix://"$folder"/none.sock "$bench" run --launcher docker axum
says_in_one_line 'the Docker daemon is not running'

# Who is brought up: all Rust servers, and of the originals the first of each distinct Dockerfile, or all.
rust=$(services rust)
originals=$(services originals)
folder_of() { sed -n "/^  $1:$/,/^$/p" "$compose_file" | sed -n 's,^      context: originals/,,p'; }
if [ "${1:-}" != --all ]; then
  originals=$(for name in $originals; do
    echo "$(sha256sum <"docker/originals/$(folder_of "$name")/Dockerfile") $name"
  done | sort -suk1,1 | awk '{ print $3 }')
fi
port_of() { sed -n "/^  $1:$/,/^$/p" "$compose_file" | sed -n 's/^      PORT: "\(.*\)"$/\1/p'; }

# What --all keeps: every image, and what its container gave of the agreed response.
table() {
  cat <<LINES
# The containers, as they were last tried

Written by \`scripts/test.sh containers\` on $(date -u +%F), with Docker $(docker version --format '{{.Server.Version}}') and
Compose $("${compose[@]}" version --short) on $(uname -m): every image was built, its container came up healthy and was held to what the target
says of itself through its published port, which answers on 127.0.0.1 alone. Sizes are with the base images of that machine;
stand-ins (\`docker/base-images.sh\`) are larger than the published ones.

| target | image | MB | runs as | points it gives | cannot give |
| --- | --- | ---: | --- | ---: | ---: |
LINES
  local name image
  for name in $rust $originals; do
    image=$("${compose[@]}" images -q "$name")
    docker image inspect --format '{{.Size}} {{.Config.User}} {{join .RepoTags " "}}' "$image" |
      awk -v name="$name" '{ printf "| %s | %s | %.1f | %s ", name, $3, $1 / 1e6, $2 }'
    awk -v name="$name" '/^[^ ]/ { of = $1; if (of == name) delete n } of == name { n[$1]++ } END { printf "| %d | %d |\n", n["holds"], n["cannot"] }' "$folder/verified"
  done
}

# Up, with one port taken: its holder is named, and the rest comes up.
taken=$(port_of tokio)
runs 0 scripts/compose-up.sh axum
scripts/compose-down.sh >/dev/null 2>&1
python3 -c "import socket, time; s = socket.create_server(('127.0.0.1', $taken)); time.sleep(3600)" &
port_holder=$!
# shellcheck disable=SC2086 # names have no blanks
runs 1 scripts/compose-up.sh $rust $originals
says "^tokio +FAILED: port $taken is in use by python3 \(pid $port_holder\)\$"
says '^[a-z0-9.-]+ +http://127.0.0.1:8[0-9]*/$' $(($(wc -w <<<"$rust $originals") - 1))
kill "$port_holder" && port_holder=
runs 0 scripts/compose-up.sh tokio
says "^tokio +http://127.0.0.1:$taken/\$"

# A build that fails leaves the rest up, and says what failed: in a copy of the project, one of whose installations is wrong.
mkdir "$folder/copy"
git ls-files -z | xargs -0 cp --parents -t "$folder/copy"
printf '#!/bin/sh\nset -e\nno-such-program\n' >"$folder/copy/docker/originals/nginx/install"
runs 1 env HELLO_BENCH_COMMIT="$(git rev-parse HEAD)" "$folder/copy/scripts/compose-up.sh" nginx-return axum
says '^nginx-return +FAILED: not built: .*no-such-program: not found; all it says: .* build nginx-return$'
says '^axum +http://'

# Every container through its published port, and nowhere else.
# Sixty containers on few cores can keep one of them waiting beyond the time of a check: who differs is asked once more.
verify() { "$bench" verify --running "$@"; }
# shellcheck disable=SC2086
verify $rust $originals >"$folder/verified" || true
differing=$(awk '/^[^ ]/ { of = $1 } $1 == "DIFFERS" || $1 == "UNTRUE" { print of }' "$folder/verified" | uniq)
if [ -n "$differing" ]; then
  grep -E '^[^ ]|DIFFERS|UNTRUE' "$folder/verified" | grep -B 1 -E 'DIFFERS|UNTRUE'
  # shellcheck disable=SC2086
  runs 0 verify $differing
  cat "$folder/out" >>"$folder/verified"
fi
for name in $rust $originals; do
  port=$(port_of "$name")
  for address in $(hostname -I); do
    [[ $address != *:* ]] || address="[$address]"
    if curl -s -o "$folder/out" --max-time 2 "http://$address:$port/"; then wrong "$name answers at $address"; fi
  done
done

# Load tools as a person would use them.
for name in axum may-minihttp std-threads; do
  runs 0 ab -q -n 2000 -c 10 "http://127.0.0.1:$(port_of "$name")/"
  says '^Failed requests: +0$'
  runs 0 wrk -t1 -c8 -d1s "http://127.0.0.1:$(port_of "$name")/"
  says '^Requests/sec: '
  if grep -q 'Socket errors' "$folder/out"; then wrong "$name: socket errors"; fi
done

# Images of Rust servers: small, with nothing in them but the server, and labels that say what it is.
for name in $rust; do
  read -r size user version <<<"$(docker image inspect --format \
    '{{.Size}} {{.Config.User}} {{index .Config.Labels "org.opencontainers.image.version"}}' "hello-bench/$name")"
  [ "$size" -lt 10000000 ] || wrong "$name's image has $size bytes"
  [ "$user" = 65532:65532 ] || wrong "$name runs as ${user:-root}"
  [ -n "$version" ] || wrong "$name's image does not say its version"
  echo "image of $name: $size bytes"
done

for name in $originals; do
  user=$(docker image inspect --format '{{.Config.User}}' "$("${compose[@]}" images -q "$name")")
  [ "$user" = nobody ] || wrong "$name runs as ${user:-root}"
done
[ "${1:-}" != --all ] || table >results/containers.md

# docker stop: exit code 0 in under 2 s, by the time that Docker itself records between the order and the end.
for name in $rust; do
  container=$("${compose[@]}" ps -q "$name")
  runs 0 docker stop --time 10 "$container"
  [ "$(docker inspect --format '{{.State.ExitCode}}' "$container")" -eq 0 ] || wrong "$name ends with another status than 0"
  stopped=$(docker events --since 60s --until 0s --filter "container=$container" --filter event=kill --filter event=die \
    --format '{{.Action}} {{.TimeNano}}' | awk '$1 == "kill" && !k { k = $2 } $1 == "die" { d = $2 } END { printf "%d", (d - k) / 1e6 }')
  [ "$stopped" -lt 2000 ] || wrong "$name took $stopped ms to stop"
done
runs 0 scripts/compose-down.sh

# A container that ends at once is said to have, with what it said, and the rest comes up.
WORKERS=none runs 1 scripts/compose-up.sh axum std-threads
says "^axum +FAILED: it ended with status 2: "
says '^std-threads +http://'
runs 0 scripts/compose-down.sh

# Waits until a load tool drives a target.
under_load() {
  local tries=0
  until pgrep -f "^wrk .*:$(port_of "$1")/" >/dev/null; do
    [ $((tries += 1)) -lt 1200 ] || return
    sleep 0.05
  done
}

# The comparison in containers, on both networks, where nobody listens on another address than 127.0.0.1; and one that is
# killed in its middle is failed, in words.
listening() { under_load axum && ss -Hltn "sport = :$(port_of axum)" | awk '{ print $4 }' | sort -u >"$folder/listening"; }
for network in host bridge; do
  listening &
  looked=$!
  runs 0 "$bench" run --launcher docker --docker-network "$network" --blocks 1 --slice 1s --out "$folder/$network" \
    --baseline axum axum std-threads
  wait "$looked" || wrong "nobody was driven"
  [ "$(<"$folder/listening")" = "127.0.0.1:$(port_of axum)" ] || wrong "on the $network network it listens on $(xargs <"$folder/listening")"
  [ "$(grep -c '"valid"' "$folder/$network/slices.jsonl")" -ge 6 ] || wrong "not every slice on the $network network is valid"
done
says 'Docker behind a bridge'
runs 2 "$bench" compare "$folder/host" "$folder/bridge"
says_in_one_line 'launcher: Docker on the host.s network, then Docker behind a bridge'
kill_one() {
  under_load std-threads || return
  docker kill "$(docker ps -q --filter label=hello-bench.launched --filter ancestor=hello-bench/std-threads)"
}
kill_one &
killer=$!
# Ends with 1, or with 0 if others disturbed that block: then it was measured again as a whole, and the failed try stands.
"$bench" run --launcher docker --blocks 1 --slice 3s --out "$folder/killed" --baseline axum axum std-threads \
  >"$folder/out" 2>&1 || [ $? -eq 1 ] || wrong "it ended with another status than 0 or 1"
wait "$killer" || wrong "nothing was there to be killed"
grep '"failed"' "$folder/killed/slices.jsonl" >"$folder/out" || wrong "nothing failed"
says 'it ended by SIGKILL'
[ "$(grep -c '"valid"' "$folder/killed/slices.jsonl")" -ge 4 ] || wrong "the run did not go on"
[ -z "$(docker ps -aq --filter label=hello-bench.launched)" ] || wrong "a container is left"

# The bench image, on a machine that has nothing but Docker: the results are on the host, and its user's.
runs 0 "${compose[@]}" --profile bench build bench
results=$(find results -mindepth 1 -maxdepth 1 -type d | sort)
runs 0 "${compose[@]}" run --rm bench run --blocks 1 --slice 1s --shape keep-alive axum tokio
new=$(find results -mindepth 1 -maxdepth 1 -type d | sort | comm -13 <(echo "$results") -)
[ "$(stat -c %u "$new/report.html")" = "$(stat -c %u results)" ] || wrong "the result belongs to somebody else"
[ "$(grep -c '"valid"' "$new/slices.jsonl")" -ge 3 ] || wrong "not every slice in the bench container is valid"
rm -r "$new"
echo "the containers do as the docs say"
