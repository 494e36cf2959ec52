#!/usr/bin/env bash
# Starts the quickstart with the application context that was generated at build time, as in a native image, and runs
# try-it.sh.
#
#   ./mvnw -q package -Paot -pl samples/quickstart -am -DskipTests
#   samples/quickstart/try-aot.sh
#
# Needs java, and the programs that try-it.sh needs. Exits with 1 if a promise was not kept.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
jar=$(ls "$here"/target/quickstart-*.jar)
log=$(mktemp)

"${JAVA_HOME:+$JAVA_HOME/bin/}java" -Dspring.aot.enabled=true -jar "$jar" --server.port=0 >"$log" 2>&1 &
shop=$!
trap 'kill "$shop" 2>/dev/null || true; wait "$shop" 2>/dev/null || true; rm -f "$log"' EXIT

port=
for ((second = 0; second < 120; second++)); do
  port=$(sed -n 's/.*Tomcat started on port \([0-9]*\).*/\1/p' "$log")
  [[ -n $port ]] && break
  kill -0 "$shop" 2>/dev/null || break
  sleep 1
done
if [[ -z $port ]] || ! grep -q 'Starting AOT-processed' "$log"; then
  cat "$log" >&2
  echo 'The quickstart did not start with the generated application context. Was it built with -Paot?' >&2
  exit 1
fi
"$here"/try-it.sh "http://localhost:$port"
