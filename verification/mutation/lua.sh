#!/bin/sh
# Plants small mistakes in the Lua scripts, one at a time: see verification/README.md.
# lua.sh [SCRIPT | lib/PART]...
set -eu
cd "$(dirname "$0")/../.."
if [ -n "${JAVA_HOME:-}" ]; then java="$JAVA_HOME/bin/java"; else java=java; fi

# The normal build runs the checks that are skipped here. MAVEN_ARGS=-o builds offline.
./mvnw -q -pl verification/simulation -am test-compile org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath -Dmdep.outputFile=target/class-path \
	-Dcheckstyle.skip -Dspring-javaformat.skip -Denforcer.skip

here=verification/simulation/target
changed=$(mktemp -d)
trap 'rm -rf "$changed"' EXIT
trap 'exit 130' INT TERM
"$java" -XX:+UseSerialGC -Xmx512m -Dlogback.configurationFile=verification/simulation/src/main/resources/logback.xml \
	-cp "$here/test-classes:$here/classes:lock-quorum/target/test-classes:$(cat $here/class-path lock-core/target/class-path | paste -sd:)" \
	io.github.redislock.simulation.LuaMutants verification/mutation/lua-accepted.txt "$changed" "$@"
