#!/usr/bin/env bash
# Plants small mistakes in the published classes, one at a time, and runs the tests that cover them: see
# verification/README.md.
# run.sh [PACKAGE | CLASS]...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if [ -n "${JAVA_HOME:-}" ]; then java=$JAVA_HOME/bin/java; else java=java; fi

modules=(lock-core lock-quorum lock-adapters lock-spring-boot-autoconfigure lock-test)
wanted=("${@:-io.github.redislock}")

# The normal build runs the checks that are skipped here. MAVEN_ARGS=-o builds offline.
./mvnw -q -pl "$(IFS=,; echo "${modules[*]}")" -am test-compile org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath \
  -Dmdep.outputFile=target/class-path -Dcheckstyle.skip -Dspring-javaformat.skip -Denforcer.skip
./mvnw -q -f verification/mutation/pom.xml org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath -Dmdep.outputFile=target/class-path

reports=verification/mutation/target/reports
rm -rf "$reports"
for module in "${modules[@]}"; do
  targets=()
  for name in "${wanted[@]}"; do
    # A package with all below it, or a class with its nested ones.
    if [ -n "$(find "$module/target/classes/${name//.//}" "$module/target/classes/${name//.//}.class" 2>/dev/null | head -1)" ]; then
      targets+=("$name" "$name.*" "$name\$*")
    fi
  done
  [ ${#targets[@]} -gt 0 ] || continue
  # Only its own tests, and not those of other modules on its class path.
  tests=$(cd "$module/target/test-classes" && find . -name '*Tests.class' | sed 's#^\./##; s#\.class$##; s#/#.#g' | paste -sd,)
  path=$module/target/test-classes:$module/target/classes:$(<"$module/target/class-path")
  "$java" -cp "$(<verification/mutation/target/class-path):$path" \
    org.pitest.mutationtest.commandline.MutationCoverageReport \
    --reportDir "$reports/$module" --timestampedReports=false --outputFormats CSV --sourceDirs "$module/src/main/java" \
    --targetClasses "$(IFS=,; echo "${targets[*]}")" --targetTests "$tests" \
    --excludedTestClasses '*ArchitectureTests,*PagesTests' --excludedGroups fault,thorough --skipFailingTests=true \
    --threads 2 --timeoutConst 10000 --failWhenNoMutations=false --verbosity=QUIET \
    --jvmArgs=-XX:+EnableDynamicAgentLoading --projectBase "$module"
done

"$java" verification/mutation/Table.java verification/mutation/accepted.txt "$reports" "${modules[@]}"
