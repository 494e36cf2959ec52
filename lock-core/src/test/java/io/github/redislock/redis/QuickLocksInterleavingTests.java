package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.ScriptCall;
import io.github.redislock.redis.QuickLocks.Entry;
import io.github.redislock.redis.QuickLocks.Request;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.Interleavings;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * However threads interleave, {@link QuickLocks} send each request exactly once, and each
 * request gets its own reply, even if its batch is being written.
 */
@Tag("interleaving")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
public class QuickLocksInterleavingTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final io.github.redislock.redis.Operation ACQUIRE = new io.github.redislock.redis.Operation(
			"acquire", LockTarget.of("order:42"), SECOND);

	private final Connection connection = new Connection();

	private final QuickLocks quick = new QuickLocks(this.connection, () -> 0);

	private final List<CompletableFuture<String>> requests = new ArrayList<>();

	@Operation
	public void ask() {
		Request<String> request;
		synchronized (this.requests) {
			byte[] name = Integer.toString(this.requests.size()).getBytes(StandardCharsets.UTF_8);
			request = new Request<>(ACQUIRE, new Entry(name, null, name, null), (reply) -> (String) reply,
					(rest) -> CompletableFuture.failedFuture(new IllegalStateException("Asked otherwise")));
			this.requests.add(request);
		}
		this.quick.send(request, SECOND);
	}

	@Operation
	public void write() {
		this.connection.write();
	}

	@Validate
	public void eachRequestWasSentOnceAndGotItsReply() {
		while (this.connection.write()) {
			continue;
		}
		for (int number = 0; number < this.requests.size(); number++) {
			if (!Integer.toString(number).equals(this.requests.get(number).getNow(null))) {
				throw new IllegalStateException("Request %d got no reply, or that of another one".formatted(number));
			}
		}
		if (this.connection.sent.size() != this.requests.size()) {
			throw new IllegalStateException(
					"%d requests were sent as %s".formatted(this.requests.size(), this.connection.sent));
		}
	}

	@Test
	void noRequestIsLostBetweenTwoThreads() {
		Interleavings.check(QuickLocksInterleavingTests.class, Effort.of(2, 6), Effort.of(150, 500));
	}

	/**
	 * Writes a script when the test triggers it, and replies with the names of its locks.
	 */
	private static final class Connection extends TestScriptRunner {

		private final ConcurrentLinkedQueue<Runnable> calls = new ConcurrentLinkedQueue<>();

		private final ConcurrentLinkedQueue<String> sent = new ConcurrentLinkedQueue<>();

		boolean write() {
			Runnable call = this.calls.poll();
			if (call != null) {
				call.run();
			}
			return call != null;
		}

		@Override
		public CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration sendTimeout,
				@Nullable Predicate<Object> written) {
			CompletableFuture<Object> reply = new CompletableFuture<>();
			this.calls.add(() -> {
				List<String> names = new ArrayList<>();
				for (byte[] key : call.seal().keys()) {
					names.add(new String(key, StandardCharsets.UTF_8));
				}
				this.sent.addAll(names);
				reply.complete(names);
			});
			return reply;
		}

	}

}
