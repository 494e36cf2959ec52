package io.github.redislock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import io.github.redislock.internal.client.Script;
import io.github.redislock.internal.client.ScriptCall;
import io.github.redislock.internal.client.ScriptRunner;
import io.github.redislock.internal.client.Timeouts;
import org.jspecify.annotations.Nullable;

/**
 * Runs modified versions of the library's scripts.
 */
record ChangedScripts(ScriptRunner runner, UnaryOperator<String> change) implements ScriptRunner {

	@Override
	public CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration sendTimeout,
			@Nullable Predicate<Object> written) {
		Script original = call.script();
		Script changed = Script.of(original.name(), this.change.apply(original.text()), original.reply(),
				original.priority());
		ScriptCall.Input input = call.seal();
		return this.runner.run(ScriptCall.of(changed, input.keys(), input.arguments()), timeout, sendTimeout, written);
	}

	@Override
	public void publish(String channel, String message) {
		this.runner.publish(channel, message);
	}

	@Override
	public Timeouts timeouts() {
		return this.runner.timeouts();
	}

	@Override
	public boolean countsReceivers() {
		return this.runner.countsReceivers();
	}

	@Override
	public boolean mayArriveTwice() {
		return this.runner.mayArriveTwice();
	}

	@Override
	public void close() {
		this.runner.close();
	}

}
