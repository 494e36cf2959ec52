#!/bin/sh
# Lets processes contend for locks while everything around them fails: see verification/campaign/README.md.
set -eu
cd "$(dirname "$0")/../.."
if [ -n "${JAVA_HOME:-}" ]; then java="$JAVA_HOME/bin/java"; else java=java; fi

# The normal build runs the checks that are skipped here. MAVEN_ARGS=-o builds offline, BUILT=yes uses the existing
# build.
[ -n "${BUILT:-}" ] || ./mvnw -q -Pcampaign -pl verification/campaign -am package -DskipTests -Dmaven.test.skip.exec=true \
	-Dcheckstyle.skip -Dspring-javaformat.skip -Denforcer.skip

exec "$java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m \
	-cp "verification/campaign/target/classes:verification/campaign/target/lib/*" \
	io.github.redislock.campaign.Campaign "$@"
