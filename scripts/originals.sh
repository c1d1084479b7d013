#!/usr/bin/env bash
# Installs the originals on this machine (Debian or what has its packages), beside the Rust servers.
#
#   scripts/originals.sh                        which there are, and which of them are installed
#   scripts/originals.sh plan NAME…|all         says what an installation would do
#   scripts/originals.sh install NAME…|all      says it, then does it; may be repeated
#
# NAME is a folder under docker/originals. What its packages.txt and build-packages.txt name comes from apt, and what its
# native-packages.txt does, which the image has from its base; its own
# `install`, which its image runs too, puts the rest (pip, npm, compiled classes) into target/originals/NAME and prints
# what that is: a line with the versions, and a line `TARGET: versions` for each optional target that can be had here.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source-path=SCRIPTDIR source=help.sh
source scripts/help.sh

usage() {
  sed -n '2,/^set/{/^#/s/^# \?//p}' scripts/originals.sh >&2
  exit 2
}

# The lines of a folder's files that are not there or not empty.
needs() {
  local file
  for file in "${@:2}"; do
    [ ! -f "docker/originals/$1/$file" ] || grep -v -e '^ *#' -e '^ *$' "docker/originals/$1/$file" || true
  done
}

# Which of the given apt packages are not installed, nor a program of that name from elsewhere.
missing() {
  local package
  for package in "$@"; do
    command -v "$package" >/dev/null || [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# What one folder needs from apt and lacks. A venv needs a Python with ensurepip, whoever brought it.
lacks() {
  local packages
  mapfile -t packages < <(needs "$1" packages.txt build-packages.txt native-packages.txt)
  missing "${packages[@]}"
  if [ -f "docker/originals/$1/requirements.txt" ] && ! python3 -c 'import ensurepip' 2>/dev/null; then echo python3-venv; fi
}

list() {
  local folder name
  for folder in docker/originals/*/; do
    name=$(basename "$folder")
    printf '%-20s %s\n' "$name" "$(head -n 1 "target/originals/$name/installed" 2>/dev/null || echo "not installed")"
  done
}

plan() {
  local name lacking
  mapfile -t lacking < <(for name in "$@"; do lacks "$name"; done | sort -u)
  if [ ${#lacking[@]} -gt 0 ]; then
    echo "apt-get install --no-install-recommends ${lacking[*]}"
    echo "  (services that these bring are not started now; where systemd runs, they would be at the next boot)"
  fi
  for name in "$@"; do
    echo "PREFIX=target/originals/$name docker/originals/$name/install$(needs "$name" requirements.txt | sed 's/;.*//' | paste -sd' ' | sed 's/^./  (pip: &/; s/.$/&)/')"
  done
}

# apt's packages may start what they bring; policy-rc.d is what says no (invoke-rc.d(8)).
install_packages() {
  local policy=/usr/sbin/policy-rc.d made=no status=0 as=()
  command -v apt-get >/dev/null || { echo "only apt's packages are known here; missing: $*" >&2 && exit 2; }
  if [ "$(id -u)" -ne 0 ]; then
    as=(sudo)
    if ! command -v sudo >/dev/null || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
      echo "missing: $*; as root, run: apt-get install --no-install-recommends $*" >&2
      exit 2
    fi
  fi
  "${as[@]}" apt-get update -q >&2
  [ -e $policy ] || { printf '#!/bin/sh\nexit 101\n' | "${as[@]}" tee $policy >/dev/null && "${as[@]}" chmod +x $policy && made=yes; }
  "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "$@" >&2 || status=$?
  [ $made = no ] || "${as[@]}" rm -f $policy
  return $status
}

install() {
  local name lacking prefix failed=()
  mapfile -t lacking < <(for name in "$@"; do lacks "$name"; done | sort -u)
  [ ${#lacking[@]} -eq 0 ] || install_packages "${lacking[@]}"
  for name in "$@"; do
    echo "== $name"
    prefix=$PWD/target/originals/$name
    mkdir -p "$prefix"
    # What says that it is installed goes first and comes last.
    rm -f "$prefix/installed"
    if (cd "docker/originals/$name" && PREFIX=$prefix ./install) >"$prefix/versions" 2>"$prefix/install.log"; then
      mv "$prefix/versions" "$prefix/installed"
      cat "$prefix/installed"
    else
      tail -n 20 "$prefix/install.log" >&2
      echo "$name was not installed; the whole of it is in $prefix/install.log" >&2
      failed+=("$name")
    fi
  done
  [ ${#failed[@]} -eq 0 ] || { echo "not installed: ${failed[*]}" >&2 && exit 1; }
}

[ $# -gt 0 ] || { list && exit 0; }
command=$1 && shift
if [[ $command != plan && $command != install ]] || [ $# -eq 0 ]; then usage; fi
names=()
for name in "$@"; do
  if [ "$name" = all ]; then
    for folder in docker/originals/*/; do names+=("$(basename "$folder")"); done
  elif [[ $name == */* ]] || [ ! -f "docker/originals/$name/target.toml" ]; then
    echo "no original is called $name; there are: $(cd docker/originals && echo -- */ | sed 's/^-- //; s,/,,g')" >&2
    exit 2
  else
    names+=("$name")
  fi
done
plan "${names[@]}"
[ "$command" = plan ] || install "${names[@]}"
