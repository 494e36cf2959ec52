#!/usr/bin/env bash
# Starts three instances of the quickstart, all of which schedule the same job, and shows which instance leads and
# therefore runs the job, while one leader after the other resigns, is killed (kill -9) or is stopped.
# docs/guide/leadership.md shows the output.
#
#   ./mvnw -q package -pl samples/quickstart -am -DskipTests
#   samples/quickstart/lead.sh                                   shows this
#   samples/quickstart/lead.sh --check docs/guide/leadership.md  and lists the lines of the page that it did not print
#
# Needs bash, curl, java and python3. Exits with 1 if the page differs, or if two instances had the same term.
. "$(dirname "${BASH_SOURCE[0]}")/instances.sh"
need curl python3
ports=()

# start_shop NUMBER: the first one starts the Redis and the database.
start_shop() {
  local options=(--quickstart.embedded-redis.port="$redis_port")
  [[ $1 == 1 ]] || options=(--spring.data.redis.port="$redis_port")
  start "$1" "${options[@]}" --spring.datasource.url="jdbc:h2:file:$work/shop;AUTO_SERVER=TRUE"
  ports[$1]=$port
}

roles() { curl --silent --max-time 5 "localhost:${ports[$1]}/actuator/locks"; }

leads() { [[ $(roles "$1") == *'"leader":true'* ]]; }

# show NUMBER...: prints the leader as these instances see it.
show() {
  for number in "$@"; do
    printf '\n$ curl -s localhost:808%d/actuator/locks | jq -c .roles[]\n' "$number"
    roles "$number" | python3 -c 'import json, sys
for role in json.load(sys.stdin)["roles"]: print(json.dumps(role, separators=(",", ":")))'
  done
}

# followed_by NUMBER: waits until this instance leads, and prints how long that took.
followed_by() {
  local begun=${EPOCHREALTIME/./}
  until_true "shop-$1 leads" "leads $1"
  echo "shop-$1 leads after $(((${EPOCHREALTIME/./} - begun) / 1000)) ms"
  sleep 2 # so that the new leader polls
}

everything() {
  echo '# Three instances have started, one after the other.'
  show 1 2 3
  printf '\n# The leader resigns.\n\n$ curl -X POST localhost:8081/prices/resign\n'
  curl --silent --request POST "localhost:${ports[1]}/prices/resign"
  followed_by 2
  show 1 2
  printf '\n# The next one is killed.\n\n$ kill -9 <shop-2>\n'
  { kill -9 "${ids[2]}" && wait "${ids[2]}"; } 2>/dev/null || true
  followed_by 3
  show 1 3
  printf '\n# The next one is stopped for longer than its lease, and then resumes.\n\n$ kill -STOP <shop-3>\n'
  kill -STOP "${ids[3]}"
  followed_by 1
  printf '$ kill -CONT <shop-3>\n'
  kill -CONT "${ids[3]}"
  show 1 3
  printf '\n# Polls of the supplier, by term.\n\n$ curl -s localhost:8081/prices/polls | jq -r %s | sort | uniq -c\n' \
    "'.[] | \"\\(.term) \\(.polledBy)\"'"
  curl --silent "localhost:${ports[1]}/prices/polls" | python3 -c 'import json, sys
for poll in json.load(sys.stdin): print(poll["term"], poll["polledBy"])' | sort | uniq -c
}

for number in 1 2 3; do start_shop "$number"; done
until_true 'all see that shop-1 leads' 'leads 1 && [[ $(roles 2)$(roles 3) == *\"holder\":\"shop-1\"*\"holder\":\"shop-1\"* ]]'
everything >"$work/output"

# Only times, terms and counts may differ.
normal() {
  sed -E -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/<instant>/g' -e 's/\b[0-9]{16}\b/<token>/g' -e 's/^ +[0-9]+ /<n> /' -e 's/[0-9]+ ms/<n> ms/'
}
compare
if sed -nE 's/^ +[0-9]+ ([0-9]{16}) .*/\1/p' "$work/output" | uniq -d | grep .; then
  fail 'Two instances have polled in the same term.'
fi
