package io.github.redislock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Predicate;

import io.github.redislock.internal.client.ScriptCall;
import io.github.redislock.internal.client.ScriptRunner;
import io.github.redislock.internal.client.Timeouts;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a single server without a Redis. Each test defines how scripts run.
 */
class TestScriptRunner implements ScriptRunner {

	final ScheduledExecutorService timer = Timeouts.thread();

	@Override
	public CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration sendTimeout,
			@Nullable Predicate<Object> written) {
		throw new UnsupportedOperationException("no test asks for it");
	}

	@Override
	public Timeouts timeouts() {
		return new Timeouts(this.timer);
	}

	@Override
	public boolean countsReceivers() {
		return true;
	}

	@Override
	public boolean mayArriveTwice() {
		return false;
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

}
