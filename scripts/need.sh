# shellcheck shell=bash
# Sourced by the other scripts: `need cargo cc ab wrk` makes sure that these programs are there. What is missing is
# installed with the system's package manager, after saying so, if this is root or may use sudo; otherwise the exact
# command is printed and the script ends.

# The package that brings a program, by package manager.
package_of() {
  case "$1:$2" in
    apt-get:cc) echo "gcc libc6-dev" ;;
    *:cc) echo gcc ;;
    apt-get:ab | apk:ab | zypper:ab) echo apache2-utils ;;
    apt-get:docker | apt-get:dockerd) echo docker.io ;;
    dnf:ab) echo httpd-tools ;;
    pacman:ab) echo apache ;;
    *) echo "$2" ;;
  esac
}

need() {
  local missing=() program manager install packages=() as=()
  for program in "$@"; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  if [[ " ${missing[*]} " == *" cargo "* ]]; then
    echo "cargo is missing. Distributions' packages are often too old for this project; install Rust with:" >&2
    echo "  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh" >&2
    exit 2
  fi
  for manager in apt-get dnf pacman apk zypper none; do
    ! command -v "$manager" >/dev/null || break
  done
  case "$manager" in
    apt-get) install="apt-get install -y" ;;
    dnf) install="dnf install -y" ;;
    pacman) install="pacman -S --noconfirm" ;;
    apk) install="apk add" ;;
    zypper) install="zypper --non-interactive install" ;;
    *) echo "missing: ${missing[*]}; no package manager that this script knows was found" >&2 && exit 2 ;;
  esac
  for program in "${missing[@]}"; do
    read -ra found <<<"$(package_of "$manager" "$program")"
    packages+=("${found[@]}")
  done

  if [ "$(id -u)" -ne 0 ]; then
    as=(sudo)
    # Without a terminal nobody can type a password.
    if ! command -v sudo >/dev/null || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; then
      echo "missing: ${missing[*]}; as root, run: $install ${packages[*]}" >&2
      exit 2
    fi
  fi
  echo "missing: ${missing[*]}; installing with: ${as[*]} $install ${packages[*]}" >&2
  [ "$manager" != apt-get ] || "${as[@]}" apt-get update -q >&2
  # shellcheck disable=SC2086 # the command is words
  "${as[@]}" $install "${packages[@]}" >&2
}

# Where cargo builds; it may have been told to build elsewhere. A server that is new gets its lines in Cargo.lock by this,
# and nothing else changes there.
target_dir() {
  cargo metadata --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/'
}
