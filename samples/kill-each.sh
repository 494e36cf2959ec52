#!/usr/bin/env bash
# Starts each sample with Maven, kills (kill -9) its Maven, application, Redis, watchdog shells and workers, each in
# a separate run, and prints how long it took until nothing of the sample was left. If the sample survives the
# kill, the script checks that another process replaces a killed shell or worker, and then kills the application.
#
#   samples/kill-each.sh [SAMPLE ...]     default: quickstart cluster-demo
#
# Needs bash and Linux. Exits with 1 if a process, or a file in the temporary folder, was left after 10 s.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
work=$(mktemp -d)
run=$work/run
failed=0
trap 'kill -9 $(members) 2>/dev/null; rm -rf "$work"' EXIT

# members [TEXT]: prints the IDs of this run's processes, or of those with TEXT in their command. Each process has the
# mark of the run in its environment. Redis overwrites its environment with its title, but its program is in the
# temporary folder.
members() {
  {
    grep -lszF "SAMPLE_RUN=$run" /proc/[0-9]*/environ
    find /proc/[0-9]*/exe -maxdepth 0 -lname "$run/*"
  } 2>/dev/null | cut -d/ -f3 | sort -u | while read -r id; do
    [[ $(tr '\0' ' ' <"/proc/$id/cmdline") == *"${1:-}"* ]] && echo "$id"
  done 2>/dev/null
}

until_true() {
  for ((tries = 0; tries < 900; tries++)); do
    if eval "$1" >/dev/null 2>&1; then return; fi
    sleep 0.2
  done
  echo "Timed out waiting for: $1"
  cat "$work/log"
  exit 1
}

# commands: prints a line for each process of this run.
commands() {
  for id in $(members); do
    tr '\0' ' ' <"/proc/$id/cmdline" | sed -E "s/^(.{80}).*(.{80})$/\1 ... \2/; s/^/    $id /"
    echo
  done
}

# kill_one SAMPLE APPLICATION WHAT TEXT: kills each process with TEXT in its command, one after the other.
kill_one() {
  local sample=$1 application=$2 what=$3 victims count begun left
  mkdir "$run"
  : >"$work/log" # so that the log of the previous run is not read below
  SAMPLE_RUN=$run ./mvnw -q -pl "samples/$sample" -am spring-boot:run -Dspring-boot.run.arguments=--server.port=0 \
    -Dspring-boot.run.jvmArguments="-Djava.io.tmpdir=$run" >"$work/log" 2>&1 </dev/null &
  until_true "grep -qE 'Started QuickstartApplication|works, ' $work/log"
  until_true "[[ \$(members '$4') ]]"
  victims=$(members "$4")
  count=$(wc -l <<<"$victims")
  for victim in $victims; do
    begun=${EPOCHREALTIME/./}
    kill -9 "$victim"
    case $what in
      watchdog | worker) # another process must replace the victim
         until_true "! kill -0 $victim && [[ \$(members '$4' | wc -l) -ge $count ]]"
        ;;
    esac
  done
  if [[ $what != maven && $what != application ]]; then
    sleep 2
    until_true "[[ \$(members '$application') ]]" # the application continues, even without its Redis
    begun=${EPOCHREALTIME/./}
    kill -9 "$(members "$application" | head -1)"
  fi
  while
    left="$(members) $(ls "$run")"
    [[ $left != ' ' && ${EPOCHREALTIME/./} -lt $((begun + 10000000)) ]]
  do
    sleep 0.1
  done
  if [[ $left == ' ' ]]; then
    printf '%-13s %-12s %d killed, nothing left after %d ms\n' "$sample" "$what" "$count" \
      $(((${EPOCHREALTIME/./} - begun) / 1000))
  else
    printf '%-13s %-12s %d killed, LEFT after 10 s: %s\n' "$sample" "$what" "$count" "$left"
    commands
    failed=1
    kill -9 $(members)
  fi
  rm -rf "$run"
} 2>/dev/null

for sample in "${@:-quickstart cluster-demo}"; do
  for each in $sample; do
    case $each in
      quickstart) application=.QuickstartApplication ;;
      *) application=.ClusterDemoApplication ;;
    esac
    kill_one "$each" "$application" maven org.codehaus.plexus.classworlds.launcher.Launcher
    kill_one "$each" "$application" application "$application"
    kill_one "$each" "$application" redis redis-server
    kill_one "$each" "$application" watchdog 'rm -rf'
    [[ $each == quickstart ]] || kill_one "$each" "$application" worker .WorkerApplication
  done
done
exit "$failed"
