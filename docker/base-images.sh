#!/usr/bin/env bash
# Builds stand-ins for the public base images that the Dockerfiles here begin with, under the same names, on a machine
# that cannot reach a registry of images but can reach Debian's packages: debootstrap and `docker import`.
#
#   docker/base-images.sh                           every base that a Dockerfile names and this machine does not have
#   docker/base-images.sh debian:bookworm-slim      only this one (and what it is made from)
#   docker/base-images.sh --force …                 also those that are there
#
# Rust's toolchain and Node.js are copied from this machine and must be of the version that the name says. What this
# machine needs to reach package registries (its certificates, its settings of apt, pip and cargo, its proxies) goes into
# the stand-ins, so they are for this machine alone: do not push them anywhere. Needs root, for debootstrap.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "docker/base-images.sh: $*" >&2
  exit 2
}

# The images that a Dockerfile begins with; not the names of its own stages.
named() {
  find docker -name '*Dockerfile' -exec awk 'toupper($1) == "FROM" { image[$2]; stage[$4] } END { for (i in image) if (!(i in stage) && i != "scratch") print i }' {} + | sort
}

# Whether nothing is to be done for an image.
there() {
  if [ "$force" = yes ]; then [ -n "${made[$1]:-}" ]; else docker image inspect "$1" >/dev/null 2>&1; fi
}

# Settings of this machine that a build needs to reach package registries, as the lines of a Dockerfile.
settings() {
  local name bundle=/etc/ssl/certs/ca-certificates.crt
  for name in SSL_CERT_FILE CARGO_HTTP_CAINFO PIP_CERT REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS; do
    echo "ENV $name=$bundle"
  done
  compgen -e | grep -E '^(https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY|PIP_(INDEX_URL|EXTRA_INDEX_URL|TRUSTED_HOST|DEFAULT_TIMEOUT)|CARGO_(HTTP|NET|REGISTRIES|REGISTRY|SOURCE)_.*|npm_config_registry|GEM_HOST.*|BUNDLE_MIRROR.*)$' |
    grep -v CAINFO | while read -r name; do echo "ENV $name=\"${!name}\""; done
}

build_debian() {
  local image=$1 suite root mirror
  suite=${image#debian:}
  suite=${suite%-slim}
  root=$(mktemp -d)/root
  command -v debootstrap >/dev/null || fail "debootstrap is missing; as root: apt-get install -y debootstrap"
  [ "$(id -u)" -eq 0 ] || fail "debootstrap needs root; run this with sudo"
  mirror=${DEBIAN_MIRROR:-$(machines_mirror)}
  echo "$image: debootstrap of $suite" >&2
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
    fail "debootstrap failed: $(tail -n 1 "$root.log"); all it said is in $root.log"
  own_settings "$root" "$suite"
  rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale}/*
  settings >"$root.env"
  local changes=()
  while read -r line; do changes+=(--change "$line"); done <"$root.env"
  tar -C "$root" -c . | docker import "${changes[@]}" --change 'CMD ["bash"]' - "$image" >/dev/null
  rm -rf "$(dirname "$root")"
}

# The mirror that this machine uses itself, if it runs Debian.
machines_mirror() {
  local found=
  if grep -q '^ID=debian' /etc/os-release; then
    found=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources 2>/dev/null |
      sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' | grep -v security | head -n 1 || true)
  fi
  echo "${found:-http://deb.debian.org/debian}"
}

own_settings() {
  local root=$1 suite=$2
  if grep -q "^VERSION_CODENAME=$suite" /etc/os-release && [ -f /etc/apt/sources.list.d/debian.sources ]; then
    cp /etc/apt/sources.list.d/debian.sources "$root/etc/apt/sources.list.d/"
    rm -f "$root/etc/apt/sources.list"
  fi
  if command -v apt-config >/dev/null; then
    apt-config dump | grep -E '^Acquire::(https?::|Check-)' >"$root/etc/apt/apt.conf.d/99machine" || true
  fi
  echo 'APT::Install-Recommends "false";' >"$root/etc/apt/apt.conf.d/98slim"
  [ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/pip.conf"
  if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
    cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/"
    chroot "$root" update-ca-certificates >/dev/null 2>&1
  fi
  [ ! -f /etc/ssl/certs/ca-certificates.crt ] || cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
}

# Builds an image from the Dockerfile on standard input, without a context.
from_lines() {
  DOCKER_BUILDKIT=0 docker build --quiet --force-rm --tag "$1" - >/dev/null
}

build_python() {
  need debian:bookworm-slim
  echo "$1: Debian's Python, with its headers as in the published image" >&2
  from_lines "$1" <<'LINES'
FROM debian:bookworm-slim
RUN apt-get update -q && apt-get install -qy --no-install-recommends python3 python3-pip python3-venv libpython3-dev && rm -rf /var/lib/apt/lists/* \
 && rm -f /usr/lib/python3*/EXTERNALLY-MANAGED && ln -s /usr/bin/python3 /usr/local/bin/python
CMD ["python3"]
LINES
  [[ $1 == python:"$(docker run --rm "$1" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')"-* ]] ||
    fail "$1: Debian's Python is of another version"
}

build_rust() {
  need debian:bookworm-slim
  local image=$1 version sysroot container
  version=$(rustc --version | cut -d' ' -f2)
  [[ $version == "$(cut -d: -f2 <<<"${image%%-*}")"* ]] || fail "$image: the Rust of this machine is $version"
  sysroot=$(rustc --print sysroot)
  echo "$image: Rust $version, from $sysroot" >&2
  from_lines "$image-without-rust" <<'LINES'
FROM debian:bookworm-slim
RUN apt-get update -q && apt-get install -qy --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
LINES
  container=$(docker create "$image-without-rust")
  # A toolchain finds its libraries beside its programs, wherever it lies.
  tar -C "$sysroot" --exclude=./share --exclude=./etc -c . | docker cp - "$container:/usr/local"
  local config=${CARGO_HOME:-$HOME/.cargo}/config.toml
  if [ -f "$config" ]; then
    tar -C "$(dirname "$config")" --transform 's,^,cargo/,' -c config.toml | docker cp - "$container:/usr/local"
  fi
  docker commit --change 'ENV CARGO_HOME=/usr/local/cargo' --change 'CMD ["bash"]' "$container" "$image" >/dev/null
  docker rm "$container" >/dev/null
}

build_node() {
  need debian:bookworm-slim
  local image=$1 version wanted container prefix
  version=$(command -v node >/dev/null && node --version || echo none)
  wanted=${image#node:}
  [[ $version == "v${wanted%%-*}."* ]] || fail "$image: the Node.js of this machine is $version"
  prefix=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
  echo "$image: Node.js $version, from $prefix" >&2
  container=$(docker create debian:bookworm-slim)
  tar -C "$prefix" -c bin/node lib/node_modules/npm | docker cp - "$container:/usr/local"
  docker commit --change 'CMD ["node"]' "$container" "$image-without-npm" >/dev/null
  docker rm "$container" >/dev/null
  from_lines "$image" <<LINES
FROM $image-without-npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && node --version && npm --version
LINES
}

need() {
  local image=$1
  ! there "$image" || return 0
  case "$image" in
    debian:*-slim) build_debian "$image" ;;
    python:*-slim-bookworm) build_python "$image" ;;
    rust:*-slim-bookworm) build_rust "$image" ;;
    node:*-bookworm-slim) build_node "$image" ;;
    *) fail "no stand-in for $image is known" ;;
  esac
  made[$image]=yes
}

force=no
declare -A made=()
if [ "${1:-}" = --force ]; then force=yes && shift; fi
[[ ${1:-} != -* ]] || fail "usage: docker/base-images.sh [--force] [IMAGE…]"
docker info >/dev/null 2>&1 || fail "the Docker daemon does not answer: $(docker info 2>&1 | tail -n 1)"
[ $# -gt 0 ] || mapfile -t wanted < <(named)
for image in "${@:-${wanted[@]}}"; do need "$image"; done
