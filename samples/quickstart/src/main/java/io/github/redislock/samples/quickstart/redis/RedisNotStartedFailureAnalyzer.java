package io.github.redislock.samples.quickstart.redis;

import io.github.redislock.samples.support.RedisNotStartedException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

class RedisNotStartedFailureAnalyzer extends AbstractFailureAnalyzer<RedisNotStartedException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, RedisNotStartedException cause) {
		return new FailureAnalysis(cause.getMessage(), """
				The Redis that comes with the sample runs on Linux and macOS, on x86-64 and ARM. Otherwise:
				 - use a Redis that is already running: --spring.data.redis.host=localhost
				 - or let Docker run one: add -Pcompose to the Maven command
				If its port is taken, choose another: --quickstart.embedded-redis.port=6391""", cause);
	}

}
