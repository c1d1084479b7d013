# shellcheck shell=bash
# Sourced by ab.sh and wrk.sh: `start_server NAME` builds and starts one server of this workspace, waits until it gives
# the agreed response, and sets `url`. It is stopped, by its pid, when the script ends for whatever reason.

start_server() {
  local name=${1#server-} binary tries=0
  if [[ $name == */* ]] || [ ! -d "crates/server-$name" ]; then
    echo "no server is called $name; there are: $(cd crates && echo server-* | sed 's/server-//g')" >&2
    exit 2
  fi
  binary=$(target_dir)/release/server-$name
  cargo build --release --locked -p "server-$name"

  server_log=$(mktemp)
  "$binary" >"$server_log" 2>&1 &
  server_pid=$!
  trap stop_server EXIT
  trap 'exit 130' INT TERM HUP

  # It announces its URL once it listens, or ends with the reason why it cannot.
  until url=$(grep -o 'http://[^ ]*' "$server_log") && "$binary" --check "$url" 2>/dev/null; do
    if ! kill -0 "$server_pid" 2>/dev/null || [ $((tries += 1)) -gt 100 ]; then
      cat "$server_log" >&2
      ! grep -q 'already in use' "$server_log" ||
        echo "this script uses the server's own port; for another: scripts/serve.sh $name --port N, and the load tool by hand" >&2
      exit 1
    fi
    sleep 0.05
  done
}

stop_server() {
  # shellcheck disable=SC2086 # empty unless the tool runs
  kill $tool_pid "$server_pid" 2>/dev/null || true
  wait "$server_pid" 2>/dev/null || true
  rm -f "$server_log"
}

tool_pid=

# Shows a command as a person would type it, then runs it: in the background, so that a signal is not kept waiting.
show_and_run() {
  echo "\$ $*"
  "$@" &
  tool_pid=$!
  wait "$tool_pid"
  tool_pid=
}
