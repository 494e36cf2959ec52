#!/usr/bin/env bash
# Plants small mistakes in the published classes, one at a time, and runs the tests that cover them: see
# verification/README.md.
# run.sh [[-]PACKAGE | CLASS]...    in these, by default all, but not in those with a minus
# run.sh --changed [COMMIT]         a sample, in the classes that have changed since it, by default since main or, on
#                                   main, since the commit before
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bin=${JAVA_HOME:+$JAVA_HOME/bin/}

modules=(lock-core lock-quorum lock-adapters lock-spring-boot-autoconfigure lock-test)
wanted=() unwanted=(none) sample=()
if [ "${1:-}" = --changed ]; then
  since=${2:-$(git merge-base HEAD origin/main || true)}
  case $since in '' | "$(git rev-parse HEAD)") since=HEAD~1 ;; esac
  mapfile -t wanted < <(git diff --name-only --diff-filter=d "$since" -- "${modules[@]/%//src/main/java}" |
    sed 's#.*src/main/java/##; s#\.java$##; s#/#.#g')
  [ ${#wanted[@]} -gt 0 ] || { echo "No published class has changed since $since." && exit; }
  sample=(--features "+CLASSLIMIT(limit[$((60 / ${#wanted[@]} + 1))])")
else
  for name in "$@"; do
    case $name in -*) unwanted+=("${name#-}") ;; *) wanted+=("$name") ;; esac
  done
fi
[ ${#wanted[@]} -gt 0 ] || wanted=(io.github.redislock)

# The normal build runs the checks that are skipped here. MAVEN_ARGS=-o builds offline.
here=verification/mutation
target=$here/target
class_path=(org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath -Dmdep.outputFile=target/class-path)
./mvnw -q -pl "$(IFS=,; echo "${modules[*]}")" -am test-compile "${class_path[@]}" \
  -Dcheckstyle.skip -Dspring-javaformat.skip -Denforcer.skip
./mvnw -q -f $here/pom.xml "${class_path[@]}"
pit=$target/classes:$(<$target/class-path)

rm -rf $target/{classes,reports}
mkdir -p $target/classes/META-INF/services
echo FewTests >$target/classes/META-INF/services/org.pitest.mutationtest.build.TestPrioritiserFactory
echo KnownTests >$target/classes/META-INF/services/org.pitest.testapi.TestPluginFactory
"${bin}javac" -d $target/classes -cp "$pit:$(<lock-core/target/class-path)" $here/{FewTests,KnownTests}.java

names() { # names FOLDER PATTERN SUFFIX: the classes in it
  (cd "$1" && find . -name "$2" | sed "s#^\./##; s#\\$3\$##; s#/#.#g")
}

pattern() { # pattern NAME...: of packages with all below them, and classes with their nested ones
  local IFS='|'
  echo "^(${*//./\\.})([.\$]|\$)"
}

# The tests of lock-core that start a server take minutes. They run only for code in these packages, of which they are
# tests. Most in redis start one, many by their base class.
talking='fencing redis|internal\.client'
server='RedisServerExtension|TestRedis|RedisProcess|RedisCluster|SentinelGroup|LOCK_TEST_|NeedsPython'

# A process that hangs is killed, and leaves the Redis servers of its tests. They are known by this variable.
export PLANTED=$$
end_servers() {
  for server in $(pgrep -P 1 redis-server); do
    if grep -qz "^PLANTED=$$\$" "/proc/$server/environ"; then kill "$server"; fi
  done 2>/dev/null || true
}
(while sleep 10; do end_servers; done) &
reaper=$!
trap 'kill $reaper; end_servers' EXIT

options=-XX:+EnableDynamicAgentLoading,-XX:TieredStopAtLevel=1,-XX:+UseSerialGC
plant() { # plant MODULE REPORT CLASSES TESTS
  local path=$1/target/test-classes:$1/target/classes:$(<"$1/target/class-path")
  [ -n "$3" ] || return 0
  "${bin}java" -cp "$pit:$path" org.pitest.mutationtest.commandline.MutationCoverageReport \
    --reportDir "$2" --timestampedReports=false --outputFormats CSV --sourceDirs "$1/src/main/java" \
    --targetClasses "$(paste -sd, <<<"$3")" --targetTests "$(paste -sd, <<<"$4")" \
    --excludedTestClasses '*ArchitectureTests,*PagesTests,*InterleavingTests' --excludedGroups fault,thorough,nonblocking \
    --skipFailingTests=true --threads 4 --mutationUnitSize 40 --timeoutConst 15000 --failWhenNoMutations=false \
    --verbosity=QUIET --projectBase "$1" "${sample[@]}" --jvmArgs="-Dtests.known=$PWD/$2/known,$options"
}

for module in "${modules[@]}"; do
  report=$target/reports/$module
  mkdir -p "$report"
  classes=$(names "$module/target/classes" '*.class' .class |
    grep -E "$(pattern "${wanted[@]}")" | grep -vE "$(pattern "${unwanted[@]}")" || true)
  tests=$(names "$module/src/test/java" '*Tests.java' .java)
  if [ "$module" = lock-core ]; then
    quiet=$(cd "$module/src/test/java" && sed 's#\.#/#g; s#$#.java#' <<<"$tests" | xargs grep -LE "$server" |
      sed 's#\.java$##; s#/#.#g' | grep -v "^io\.github\.redislock\.redis\.")
    plant "$module" "$report/0" "$(grep -vE "^io\.github\.redislock\.(${talking// /|})\." <<<"$classes")" "$quiet"
    for packages in $talking; do
      mine="^io\.github\.redislock\.($packages)\."
      plant "$module" "$report/${packages%%|*}" "$(grep -E "$mine" <<<"$classes")" "$quiet
$(grep -E "$mine" <<<"$tests")"
    done
  else
    plant "$module" "$report/0" "$classes" "$tests"
  fi
  cat "$report"/*/mutations.csv >"$report/mutations.csv" 2>/dev/null || true
done

echo "Planted and judged in $SECONDS s"
"${bin}java" $here/Table.java $here/accepted.txt "${sample:+sample}" "$target/reports" "${modules[@]}"
