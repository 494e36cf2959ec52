#!/bin/sh
# Runs the protocol in virtual time while everything around it fails: see verification/README.md.
set -eu
cd "$(dirname "$0")/../.."
if [ -n "${JAVA_HOME:-}" ]; then java="$JAVA_HOME/bin/java"; else java=java; fi

# The normal build runs the checks that are skipped here. MAVEN_ARGS=-o builds offline, BUILT=yes uses the existing
# build.
[ -n "${BUILT:-}" ] || ./mvnw -q -pl verification/simulation -am package -DskipTests -Dmaven.test.skip.exec=true \
	-Dcheckstyle.skip -Dspring-javaformat.skip -Denforcer.skip

exec "$java" -XX:+UseSerialGC -Xmx512m \
	-cp "verification/simulation/target/classes:verification/simulation/target/lib/*" \
	io.github.redislock.simulation.Simulation "$@"
