#!/usr/bin/env bash
# Starts the quickstart, lets it hold locks, wait for them and lose them, stops its Redis, and shows what an operator
# sees: the responses of the endpoints and the log. docs/operations.md shows the output.
#
#   ./mvnw -q package -pl samples/quickstart -am -DskipTests
#   samples/quickstart/operate.sh                            shows this
#   samples/quickstart/operate.sh --check docs/operations.md and lists the lines of the page that it did not print
#
# Needs bash, curl, java, pgrep and python3. Exits with 1 if the page differs.
. "$(dirname "${BASH_SOURCE[0]}")/instances.sh"
need curl python3 pgrep
start 1 --quickstart.embedded-redis.port="$redis_port" --quickstart.work-time=60s \
  --management.endpoint.locks.access=unrestricted --redis-lock.leadership.roles.price-feed.enabled=false \
  --redis-lock.timeout=20s --logging.level.io.github.redislock=DEBUG
log=$work/log-1
url=http://localhost:$port

# show PATH [CURL-OPTIONS]: sends the request as on the page, and prints status and body.
show() {
  local path=$1 command body status
  shift
  command="curl${*:+ $*} localhost:8080$path"
  [[ $path != *\?* ]] || command="curl${*:+ $*} 'localhost:8080$path'"
  printf '\n$ %s\n' "$command"
  body=$(curl --silent --max-time 60 --write-out '\n%{http_code} after %{time_total} s' "$@" "$url$path")
  status=${body##*$'\n'}
  body=${body%$'\n'*}
  printf 'HTTP %s\n' "${status%% *}"
  [[ -z $body ]] || python3 -c 'import json, sys
print(json.dumps(json.loads(sys.stdin.read()), indent=2, ensure_ascii=False))' <<<"$body"
  took=${status##* after }
}

# story TEXT: prints the log messages with this text, without timestamp and logger.
story() {
  sed -nE 's/^[^ ]+ +([A-Z]+) [0-9]+ --- .*(io|i)\.[a-z.]*[A-Za-z]+ +: (.*)$/\1 \3/p' "$log" | grep -F -- "$1" || true
}

everything() {
  curl --silent --output /dev/null --request POST "$url/batches/nightly"
  curl --silent --output /dev/null --max-time 200 --request POST "$url/payments/42" &
  until_true 'an order is being paid' "curl --silent --fail $url/actuator/locks/payment:42"
  for reader in 1 2 3; do
    curl --silent --output /dev/null --max-time 200 "$url/cache/prices" &
  done
  until_true 'one reader loads and two wait' "[[ \$(curl --silent $url/actuator/locks) == *'\"waiting\":2'* ]]"

  echo '## What this instance holds and waits for'
  show /actuator/locks
  echo
  echo '## One lock, as Redis knows it'
  show /actuator/locks/batch:nightly
  show /actuator/locks/batch:weekly
  echo
  echo '## A refusal says the same'
  show /payments/42 -X POST
  echo
  echo '## Health'
  show /actuator/health/redisLock
  echo
  echo '## Info'
  show /actuator/info
  echo
  echo '## Released by force'
  show "/actuator/locks?name=batch:nightly&fencingToken=1" -X DELETE
  show "/actuator/locks?name=batch:nightly" -X DELETE
  show /actuator/locks/batch:nightly
  until_true 'the holder is informed' "grep -q \"Lock 'batch:nightly' was lost\" $log"
  story 'batch:nightly'
  echo
  echo '## Redis is stopped'
  redis=$(pgrep -f "redis-server.* 127.0.0.1:$redis_port")
  ids+=("$redis")
  kill -STOP "$redis"
  until_true 'everything is noticed' "seen=\$(curl --silent $url/actuator/health/redisLock)
    [[ \$seen == *store*notRenewed*handOvers* && \$seen == *payment:42* && \$seen == *cache:prices* ]]"
  show /actuator/health/redisLock
  printf 'replied after %s\n' "$took" >&2
  kill -CONT "$redis"
  until_true 'Redis replies again' "[[ \$(curl --silent $url/actuator/health/redisLock) != *DOWN* ]]"
  until_true 'the lease is renewed again' "grep -q \"Lock 'payment:42' is renewed again\" $log"
  story "Lock 'payment:42' "
}

everything >"$work/output"

# Replaces what may differ, such as times and tokens.
normal() {
  sed -E -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/<instant>/g' -e 's/PT[0-9.HMS]+/<time>/g' -e 's/\b[0-9]{16}\b/<token>/g' \
    -e 's/\b[0-9]+(\.[0-9])?(ms|s)\b/<time>/g' -e 's/shop-1\/[A-Za-z0-9_-]{6}…/<owner>/g' -e 's/exec-[0-9]+/exec-<n>/g' \
    -e 's/inbox:[0-9a-f-]{36}/inbox:<uuid>/g' -e 's/\.java:[0-9]+/.java:<line>/g' -e 's/127.0.0.1[:/][0-9]+/<redis>/g' -e 's/[[:space:]]+$//' \
    -e 's/"store": "(Lock|no reply).*/"store": <why>/' -e 's/^    "waiting": [0-9]+,/    "waiting": <n>,/' \
    -e 's/renew failed: .*/renew failed: <why>/' -e 's/(channel [^ ]+) \(.*\): waiting/\1 (<why>): waiting/' \
    -e 's/ not acquired within <time>:/ not acquired:/' -e 's/"version": .*/"version": <version>/'
}
compare
