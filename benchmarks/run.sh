#!/bin/sh
# Measures Redis Lock side by side with other libraries, or, with "cache", a cache whose values are loaded once, with
# "lease", what a short lease costs, or, with "fence", a transaction with a fence: see benchmarks/README.md.
set -eu
cd "$(dirname "$0")/.."
if [ -n "${JAVA_HOME:-}" ]; then java="$JAVA_HOME/bin/java"; else java=java; fi

# The normal build runs the checks that are skipped here.
./mvnw -q -Pbenchmarks -pl benchmarks -am package -DskipTests -Dmaven.test.skip.exec=true \
	-Dcheckstyle.skip -Dspring-javaformat.skip -Denforcer.skip

# JMH still uses methods that JDK 24 warns about.
unsafe=--sun-misc-unsafe-memory-access=allow
"$java" $unsafe -version 2>/dev/null || unsafe=

main=io.github.redislock.benchmarks.runner.Benchmarks
case "${1:-}" in
cache) main=io.github.redislock.benchmarks.cache.CacheBenchmark && shift ;;
lease) main=io.github.redislock.benchmarks.lease.LeaseBenchmark && shift ;;
fence) main=io.github.redislock.benchmarks.fence.FenceBenchmark && shift ;;
esac

exec "$java" $unsafe -Dbenchmarks.server="${REDIS_SERVER:-/usr/bin/redis-server}" -XX:+UseSerialGC -Xmx512m \
	-cp "benchmarks/target/classes:benchmarks/target/lib/*" $main "$@"
