#!/usr/bin/env bash
# Tests what the quickstart promises with many concurrent requests, and prints the results.
#
#   ./try-it.sh [URL [URL2]]     default: http://localhost:8080
#
# With two URLs, concurrent requests go to both in turn, because two instances must behave like one. Needs bash and
# curl. Exits with 1 if a promise was not kept. May be run repeatedly.
set -u

urls=("${@:-http://localhost:8080}")
run="$(date +%s)-$$"
broken=0
replies=$(mktemp -d)
trap 'rm -rf "$replies"' EXIT

# together COUNT METHOD PATH: sends COUNT requests at the same time. Writes each status as a line to $replies/status and
# each body to $replies/body-N.
together() {
  rm -f "$replies"/*
  for ((n = 0; n < $1; n++)); do
    echo "--output $replies/body-$n --request $2 ${urls[n % ${#urls[@]}]}$3"
  done | xargs -P "$1" -L 1 curl --silent --max-time 120 --write-out '%{http_code}\n' >"$replies/status"
}

# ask METHOD PATH: sends one request to the last instance, and sets $status and $body.
ask() {
  body=$(curl --silent --max-time 120 --dump-header "$replies/header" --write-out '\n%{http_code}' --request "$1" \
    "${urls[${#urls[@]} - 1]}$2")
  status=${body##*$'\n'}
  body=${body%$'\n'*}
}

statuses() { grep -c "^$1\$" "$replies/status"; }                  # how many replies had this status
bodies() { cat "$replies"/body-* | grep -o -- "$1" | wc -l | tr -d ' '; } # how many times the bodies had this text
distinct() { cat "$replies"/body-* | grep -o -- "$1" | sort -u | wc -l | tr -d ' '; }
number() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" <<<"$body"; }     # the value of a numeric field in $body
entries() { grep -o '"id":' <<<"$body" | wc -l | tr -d ' '; }      # the number of rows in $body

# expect WHAT SEEN WANTED
expect() {
  if [[ $2 == "$3" ]]; then
    printf '  ok      %s: %s\n' "$1" "$2"
  else
    printf '  BROKEN  %s: %s, but expected %s\n' "$1" "$2" "$3"
    broken=$((broken + 1))
  fi
}

for url in "${urls[@]}"; do
  if ! curl --silent --output /dev/null --retry 15 --retry-delay 1 --retry-connrefused "$url/actuator/health"; then
    echo "Nothing replies at $url. Start the quickstart first: ./mvnw -q -pl samples/quickstart -am spring-boot:run" >&2
    exit 1
  fi
done
echo "Trying ${urls[*]}"

echo
echo "1. Payment: 50 clicks on 'pay' for one order"
together 50 POST "/payments/order-$run"
expect "paid (200)" "$(statuses 200)" 1
expect "refused (409)" "$(statuses 409)" 49
ask GET "/payments/order-$run"
expect "charges in the database" "$(entries)" 1
ask POST "/payments/order-$run"
expect "paying once more is refused as" "$(grep -o 'urn:problem:[a-z-]*' <<<"$body")" urn:problem:order-already-paid

echo
echo "2. Stock: 200 customers each order one of 100 pieces"
ask PUT "/inventory/product-$run?quantity=100"
together 200 POST "/inventory/product-$run/decrease?quantity=1"
sold=$(statuses 200)
echo "          $sold got one, $(statuses 409) found it sold out, $(statuses 503) gave up waiting"
ask GET "/inventory/product-$run"
expect "left in the database" "$(number quantity)" 0
expect "sold (200)" "$sold" 100
expect "refused (409 or 503)" "$(($(statuses 409) + $(statuses 503)))" 100

echo
echo "3. Cache: 20 readers request a value that is not in the cache"
together 20 GET "/cache/key-$run"
expect "replied (200)" "$(statuses 200)" 20
expect "different replies" "$(distinct '"loadedAt":"[^"]*"')" 1
ask GET "/cache/key-$run"
expect "loads" "$(number loads)" 1

echo
echo "4. Daily report: 10 callers request the same one"
day=$(printf '%04d-%02d-%02d' $((1000 + (RANDOM * 32768 + RANDOM) % 9000)) $((1 + RANDOM % 12)) $((1 + RANDOM % 28)))
together 10 POST "/reports/daily/$day"
echo "          $(statuses 200) got the report, $(statuses 202) got the reply that it is being generated"
expect "replied (200 or 202)" "$(($(statuses 200) + $(statuses 202)))" 10
expect "different reports" "$(distinct '"id":[0-9]*')" 1
ask GET "/reports/daily/$day"
expect "stored" "$status" 200
first=$(number id)
ask POST "/reports/daily/$day"
expect "another request returns the stored report, row" "$(number id)" "$first"

echo
echo "5. User report: 5 callers request the same one"
together 5 POST "/reports/user/user-$run"
echo "          $(bodies '"status":"completed"') completed, $(bodies '"status":"skipped"') skipped"
expect "replied (200)" "$(statuses 200)" 5
ask GET "/reports/user/user-$run"
expect "stored" "$status" 200
before=$(number fencingToken)
ask POST "/reports/user/user-$run"
expect "the next one has a greater fencing token" "$([[ $(number fencingToken) -gt $before ]] && echo yes)" yes

echo
echo "6. Task: 10 callers request the same one"
together 10 POST "/tasks/task-$run"
expect "completed" "$(bodies '"status":"completed"')" 1
expect "skipped" "$(bodies '"status":"skipped"')" 9
ask GET "/tasks/task-$run"
expect "runs in the database" "$(entries)" 1

echo
echo "7. Rate limit: one call in 5 seconds"
ask POST "/rate-limited/user-$run"
expect "first call" "$status" 200
together 10 POST "/rate-limited/user-$run"
expect "10 more at once, refused (429)" "$(statuses 429)" 10
ask POST "/rate-limited/user-$run"
echo "          Retry-After: $(tr -d '\r' <"$replies/header" | sed -n 's/^[Rr]etry-[Aa]fter: //p') s"
for ((tries = 0; tries < 40; tries++)); do
  ask POST "/rate-limited/user-$run"
  [[ $status == 200 ]] && break
  sleep 0.25
done
expect "after the time has passed" "$status" 200
ask GET "/rate-limited/user-$run"
expect "calls in the database" "$(entries)" 2

echo
echo "8. Batch: 10 callers start the same one"
together 10 POST "/batches/batch-$run"
expect "processing" "$(bodies '"status":"processing"')" 1
expect "already processing, or done" "$(($(bodies '"status":"already processing"') + $(bodies '"status":"done"')))" 9
for ((tries = 0; tries < 120; tries++)); do
  ask GET "/batches/batch-$run"
  [[ $body == *'"done"'* ]] && break
  sleep 0.25
done
expect "items processed at the end" "$(number processed)" 5

echo
echo "9. Fencing: a holder that was stopped past its lease writes too late"
ask POST "/fencing/document-$run"
expect "refused as" "$(grep -o 'urn:problem:[a-z-]*' <<<"$body")" urn:problem:stale-holder
expect "its token is smaller than the newest one" "$([[ $(number token) -lt $(number newestToken) ]] && echo yes)" yes
ask GET "/fencing/document-$run"
expect "the document was" "$(grep -o 'written by the [a-z]* holder' <<<"$body")" "written by the second holder"

echo
echo "10. Metrics: the metrics show all of this"
ask GET /actuator/prometheus
for metric in acquire_seconds_count acquire_seconds_bucket acquire_active_seconds_count waiters held_seconds_count \
  usage_seconds_count hand_overs_total timeouts_total renewals_total losses_total; do
  expect "redis_lock_$metric exists" "$(grep -q "^redis_lock_$metric{" <<<"$body" && echo yes)" yes
done
expect "series that contain a key of this run" "$(grep '^redis_lock_' <<<"$body" | grep -c -- "$run")" 0

echo
echo "11. Leader: a job that all instances schedule and the leader runs"
ask GET /prices/polls
expect "polls in the database" "$([[ $(entries) -gt 0 ]] && echo yes)" yes
expect "terms in which more than one instance polled" \
  "$(grep -oE '"term":[0-9]+,"polledBy":"[^"]*"' <<<"$body" | sort -u | cut -d, -f1 | uniq -d | wc -l | tr -d ' ')" 0

echo
echo "12. Spring cache: 20 readers request a quote that is not in the cache"
together 20 GET "/quotes/symbol-$run"
expect "replied (200)" "$(statuses 200)" 20
expect "different loads" "$(distinct '"loadedBy":"[^"]*","loadedAt":"[^"]*"')" 1

echo
echo "13. Fence: a holder is stopped until its lease is over, and then begins its transaction"
ask POST "/fencing/stopped-$run/stopped"
expect "refused as" "$(grep -o 'urn:problem:[a-z-]*' <<<"$body")" urn:problem:stale-holder
ask GET "/fencing/stopped-$run"
expect "the document was" "$(grep -o 'written by the [a-z]* holder' <<<"$body")" "written by the second holder"

echo
if ((broken)); then
  echo "$broken promises were broken."
  exit 1
fi
echo "All promises were kept."
