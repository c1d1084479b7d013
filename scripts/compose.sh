# shellcheck shell=bash
# Sourced by compose-up.sh and compose-down.sh: finds Docker and Compose, or says in one line what is wrong with them, and
# knows the services of docker/compose.yaml and their groups.

compose_file=docker/compose.yaml
# The first Compose that knows profiles.
compose_oldest=1.28

refuse() {
  echo "$(basename "$0"): $*" >&2
  exit 2
}

# Sets `compose`: the command with its file and project.
need_compose() {
  local said program version
  command -v docker >/dev/null || refuse "docker is missing; on Debian and Ubuntu: apt-get install docker.io docker-compose"
  if ! said=$(docker version --format '{{.Server.Version}}' 2>&1); then
    case "$said" in
      *"permission denied"*)
        refuse "this user may not use the Docker daemon's socket; add it to the group with" \
          "\`sudo usermod -aG docker $(id -un)\` and log in again, or use sudo" ;;
      *) refuse "the Docker daemon is not running; start it (\`sudo systemctl start docker\`): $(tail -n 1 <<<"$said")" ;;
    esac
  fi
  program=(docker compose)
  if ! version=$(docker compose version --short 2>/dev/null); then
    program=(docker-compose)
    version=$(docker-compose version --short 2>/dev/null) ||
      refuse "Docker Compose is missing; on Debian and Ubuntu: apt-get install docker-compose"
  fi
  version=${version#v}
  [ "$(printf '%s\n' "$compose_oldest" "$version" | sort -V | head -n 1)" = "$compose_oldest" ] ||
    refuse "${program[*]} $version is too old; $compose_oldest or newer is needed"
  # shellcheck disable=SC2034 # the scripts that source this use it
  compose=("${program[@]}" -p hello-bench -f "$compose_file")
}

# The groups of services, a line each: `rust: [tokio, …]`.
groups() { sed -n '/^x-groups:/,/^$/{s/^  //p}' "$compose_file"; }

members() { groups | sed -n "s/^$1: \[\(.*\)\]$/\1/p" | tr -d ,; }

# The services of these groups and names, each once, one a line; all of them without any.
services() {
  local all word found=()
  all=$(sed -n '/^services:/,$ s/^  \([a-zA-Z0-9._-]*\):$/\1/p' "$compose_file" | grep -vx bench)
  for word in "$@"; do
    word=${word#server-}
    if grep -qxF -- "$word" <<<"$all"; then
      found+=("$word")
    elif [ -n "$(members "$word")" ]; then
      read -ra words <<<"$(members "$word")"
      found+=("${words[@]}")
    else
      refuse "no service or group is called $word; services: $(xargs <<<"$all"); groups: $(groups | cut -d: -f1 | xargs)"
    fi
  done
  if [ $# -eq 0 ]; then echo "$all"; else printf '%s\n' "${found[@]}" | awk '!seen[$0]++'; fi
}
