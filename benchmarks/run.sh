#!/bin/sh
# Measures Redis Lock side by side with other libraries: see benchmarks/README.md.
set -eu
cd "$(dirname "$0")/.."
if [ -n "${JAVA_HOME:-}" ]; then java="$JAVA_HOME/bin/java"; else java=java; fi

# What is checked elsewhere need not be checked before each measurement.
./mvnw -q -Pbenchmarks -pl benchmarks -am package -DskipTests -Dmaven.test.skip.exec=true \
	-Dcheckstyle.skip -Dspring-javaformat.skip -Denforcer.skip

# JMH has not yet learnt what JDK 24 would rather have.
unsafe=--sun-misc-unsafe-memory-access=allow
"$java" $unsafe -version 2>/dev/null || unsafe=

exec "$java" $unsafe -XX:+UseSerialGC -Xmx512m -cp "benchmarks/target/classes:benchmarks/target/lib/*" \
	io.github.redislock.benchmarks.runner.Benchmarks "$@"
