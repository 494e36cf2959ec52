# Sourced by lead.sh and operate.sh, which start instances of the quickstart and compare what they print with a page.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
page=${2:-}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
ids=()

stop() {
  for id in "${ids[@]}"; do kill -CONT "$id" 2>/dev/null && kill "$id" 2>/dev/null; done || true
  wait 2>/dev/null || true
  [[ -z ${work:-} ]] || rm -rf "$work"
}

fail() {
  echo "$1" >&2
  exit 1
}

# need PROGRAM...: ends the script with a message if something is missing. Sets $jar, $work and $redis_port.
need() {
  for program in "$@"; do
    command -v "$program" >/dev/null || fail "$program is missing: install it, or add its folder to PATH."
  done
  local version
  version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p') || true
  ((${version:-0} >= 17)) || fail "'$java' is not a JDK 17 or newer: install one, or set JAVA_HOME."
  jar=$(compgen -G "$here/target/quickstart-*.jar" | head -1) ||
    fail 'The quickstart is not built: ./mvnw -q package -pl samples/quickstart -am -DskipTests'
  work=$(mktemp -d)
  redis_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
}

# until_true WHAT COMMAND: waits until the command succeeds.
until_true() {
  for ((tries = 0; tries < 6000; tries++)); do
    if eval "$2" >/dev/null 2>&1; then return; fi
    sleep 0.01
  done
  fail "Timed out waiting until $1."
}

# start NUMBER OPTION...: starts an instance and sets $port. Its output goes to $work/log-NUMBER.
start() {
  local number=$1 log=$work/log-$1
  shift
  "$java" -jar "$jar" --server.port=0 --quickstart.instance="shop-$number" "$@" >"$log" 2>&1 &
  ids[$number]=$!
  until_true "shop-$number has started" "grep -q 'Started QuickstartApplication' $log || ! kill -0 ${ids[$number]}"
  port=$(sed -n 's/.*Tomcat started on port \([0-9]*\).*/\1/p' "$log")
  if ! kill -0 "${ids[$number]}" 2>/dev/null || [[ -z $port ]]; then
    # Print Spring Boot's explanation without the stack trace before it.
    sed -n '/^APPLICATION FAILED TO START/,$p' "$log" | grep . >&2 || tail -5 "$log" >&2
    fail "shop-$number did not start."
  fi
}

# compare: checks that the lines of the page's console blocks were printed. The calling script's function normal
# replaces the parts that may differ.
compare() {
  cat "$work/output"
  [[ -n $page ]] || return 0
  sed -n '/^```console/,/^```$/p' "$page" | grep -v '^```' | normal | sort -u >"$work/wanted"
  normal <"$work/output" | sort -u >"$work/seen"
  if comm -23 "$work/wanted" "$work/seen" | grep .; then
    fail "These lines of $page were not printed."
  fi
  echo "All console lines of $page were printed." >&2
}

trap stop EXIT
