package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

import io.github.redislock.internal.redis.Script;
import io.github.redislock.internal.redis.ScriptCall;
import io.github.redislock.internal.redis.ScriptRunner;
import io.github.redislock.internal.redis.Timeouts;
import org.jspecify.annotations.Nullable;

/**
 * Runs modified versions of the library's scripts.
 */
record ChangedScripts(ScriptRunner runner, UnaryOperator<String> change) implements ScriptRunner {

	@Override
	public CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration patience,
			@Nullable Predicate<Object> written) {
		LockScript original = (LockScript) call.script();
		String text = this.change.apply(new String(original.bytes(), StandardCharsets.UTF_8));
		Script changed = new Changed(original, text.getBytes(StandardCharsets.UTF_8));
		return this.runner.run(ScriptCall.of(changed, call.keys(), call.arguments()), timeout, patience, written);
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

	private record Changed(LockScript original, byte[] bytes) implements Script {

		@Override
		public String sha1() {
			try {
				return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(this.bytes));
			}
			catch (NoSuchAlgorithmException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public boolean returnsList() {
			return this.original.returnsList();
		}

		@Override
		public boolean isSameReply(Object reply, Object later) {
			return this.original.isSameReply(reply, later);
		}

		@Override
		public Turn turn() {
			return this.original.turn();
		}

	}

}
