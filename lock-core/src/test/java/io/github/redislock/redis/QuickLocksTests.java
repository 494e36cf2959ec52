package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.ScriptCall;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.OwnThread;
import io.lettuce.core.RedisCommandExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests how requests for uncontended locks are batched.
 */
class QuickLocksTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final int LARGEST = 64;

	private static final RuntimeException NO_PERMISSION = new RedisCommandExecutionException(
			"NOPERM No permissions to access a key in 'evalsha' command");

	@AutoClose
	private final Server server = new Server();

	private long now = System.nanoTime();

	private final QuickLocks quick = new QuickLocks(this.server, () -> this.now);

	private final List<String> askedOtherwise = new ArrayList<>();

	@Test
	void requestsMadeBeforeTheScriptIsWrittenJoinIt() {
		release("b", SECOND);
		take("a", SECOND);
		release("d", SECOND);
		take("c", SECOND);

		Sent released = this.server.written();
		Sent taken = this.server.written();

		assertThat(this.server.calls).isEmpty();
		assertThat(taken.takes()).containsExactlyInAnyOrder("a", "c");
		assertThat(taken.call().seal().keys()).extracting(LockKeys::text)
			.endsWith(taken.takes().get(0) + ":fence", taken.takes().get(1) + ":fence");
		assertThat(taken.timeout()).isEqualTo(SECOND);
		assertThat(released.releases()).containsExactlyInAnyOrder("b", "d");
		assertThat(released.call().seal().arguments()).hasSize(2);
	}

	@Test
	void onlyALockThatWasContendedIsNotTried() {
		// The clock of a JVM may begin with any value.
		this.now = Long.MIN_VALUE;
		QuickLocks fresh = new QuickLocks(this.server, () -> this.now);
		assertThat(fresh.isLikely("a")).isTrue();

		fresh.noteContended("a");

		assertThat(fresh.isLikely("a")).isFalse();
		assertThat(fresh.isLikely("b")).isTrue();
	}

	/** Otherwise, the instance would refuse the lock to itself. */
	@Test
	void lockIsNotTakenBeforeItIsReleased() {
		take("a", SECOND);
		release("b", SECOND);
		take("b", SECOND);

		assertThat(this.server.written().takes()).containsExactly("a");
		assertThat(this.server.written().releases()).containsExactly("b");
		assertThat(this.server.written().takes()).containsExactly("b");
	}

	@Test
	void requestThatOvertookItsReleaseIsSentAgain() {
		CompletableFuture<String> a = take("a", SECOND);
		Sent taken = this.server.written();
		release("a", SECOND);
		Sent released = this.server.written();

		this.now += Duration.ofMillis(100).toNanos();
		taken.replyHeld("a");
		assertThat(a).isNotDone();
		assertThat(this.server.calls).isEmpty();
		released.reply().complete("a");
		Sent again = this.server.written();
		again.reply().complete("a");

		assertThat(again.takes()).containsExactly("a");
		assertThat(again.timeout()).as("rest").isEqualTo(Duration.ofMillis(900));
		assertThat(a).isCompletedWithValue("taken a");
		assertThat(this.askedOtherwise).isEmpty();
	}

	@Test
	void onlyTheRefusedRequestsOfAScriptAreSentAgain() {
		CompletableFuture<String> a = take("a", SECOND);
		CompletableFuture<String> b = take("b", SECOND);
		Sent taken = this.server.written();
		release("a", SECOND);

		taken.reply(taken.takes().stream().map((lock) -> lock.equals("a") ? held("a") : (Object) lock).toList());
		assertThat(b).isCompletedWithValue("taken b");
		this.server.written().reply().complete("a");

		Sent again = this.server.written();
		assertThat(again.takes()).containsExactly("a");
		again.reply().complete("a");
		assertThat(a).isCompletedWithValue("taken a");
	}

	@Test
	void requestRefusedByAnotherHolderIsNotSentAgain() {
		release("a", SECOND);
		CompletableFuture<String> a = take("a", SECOND);
		this.server.written();

		this.server.written().reply().complete(bytes("another value\t500"));

		assertThat(a).isCompletedWithValue("held");
	}

	@Test
	void requestIsSentAgainOnlyOnceAfterAFailedRelease() {
		CompletableFuture<String> a = take("a", SECOND);
		release("a", SECOND);
		this.server.written().replyHeld("a");
		this.server.written().fail(new IllegalStateException("away"));

		this.server.written().replyHeld("a");

		assertThat(a).isCompletedWithValue("held");
		assertThat(this.server.calls).isEmpty();
	}

	@Test
	void endedReleaseIsForgotten() {
		release("a", SECOND);
		this.server.written().reply().complete("a");
		CompletableFuture<String> a = take("a", SECOND);

		this.server.written().replyHeld("a");

		assertThat(a).isCompletedWithValue("held");
	}

	@Test
	void onlyASingleReleaseMayBeTheServersOwnCommand() {
		take("a", SECOND);
		release("b", SECOND);
		assertThat(this.server.written().call().deletesIfEqual()).isFalse();
		assertThat(this.server.written().call().deletesIfEqual()).isTrue();

		release("c", SECOND);
		release("d", SECOND);
		assertThat(this.server.written().call().deletesIfEqual()).isFalse();
	}

	@Test
	void requestMadeLaterGoesIntoTheNextScript() {
		take("a", SECOND);
		Sent first = this.server.written();

		take("b", SECOND);

		assertThat(first.call().seal().keys()).as("of a copy").hasSize(2);
		assertThat(this.server.written().takes()).containsExactly("b");
	}

	@Test
	void scriptTakesNoMoreRequestsThanItsLimit() {
		IntStream.rangeClosed(0, LARGEST).forEach((number) -> take("lock-" + number, SECOND));

		assertThat(this.server.written().takes()).hasSize(LARGEST).doesNotContain("lock-" + LARGEST);
		assertThat(this.server.written().takes()).containsExactly("lock-" + LARGEST);
	}

	@Test
	void differentTimeoutStartsANewScript() {
		take("a", SECOND);
		take("b", SECOND.multipliedBy(2));
		take("c", SECOND.multipliedBy(2));

		assertThat(this.server.written().takes()).containsExactly("a");
		Sent second = this.server.written();
		assertThat(second.takes()).containsExactlyInAnyOrder("b", "c");
		assertThat(second.timeout()).isEqualTo(SECOND.multipliedBy(2));
	}

	@Test
	void scriptThatWaitsTooLongToBeWrittenTakesNoMoreRequests() {
		take("a", SECOND);
		this.now += Duration.ofMillis(5).toNanos();
		take("joins a", SECOND);
		this.now++;

		take("b", SECOND);

		assertThat(this.server.written().takes()).containsExactly("a", "joins a");
		assertThat(this.server.written().takes()).containsExactly("b");
	}

	@Test
	void requestsAreSentSeparatelyInACluster() {
		this.server.clustered = true;

		take("a", SECOND);
		take("b", SECOND);

		assertThat(this.server.written().takes()).containsExactly("a");
		assertThat(this.server.written().takes()).containsExactly("b");
	}

	@Test
	void eachRequestGetsItsOwnReply() {
		CompletableFuture<String> b = release("b", SECOND);
		CompletableFuture<String> a = take("a", SECOND);
		CompletableFuture<String> c = take("c", SECOND);

		this.server.written().reply().complete("b");
		this.server.written().replyToAll();

		assertThat(a).isCompletedWithValue("taken a");
		assertThat(b).as("a single result, not in a list").isCompletedWithValue("released b");
		assertThat(c).isCompletedWithValue("taken c");
		assertThat(this.askedOtherwise).isEmpty();
	}

	@Test
	void unusualReplyFallsBackToTheFullScript() {
		CompletableFuture<String> a = take("a", SECOND);
		CompletableFuture<String> b = take("b", SECOND);
		Sent sent = this.server.written();

		sent.reply(sent.takes().stream().map((lock) -> (Object) (lock.equals("a") ? 0L : "b")).toList());

		assertThat(a).isCompletedWithValue("otherwise a");
		assertThat(b).isCompletedWithValue("taken b");
		assertThat(this.askedOtherwise).containsExactly("a");
	}

	@Test
	void failureOfAScriptFailsAllItsRequests() {
		CompletableFuture<String> a = release("a", SECOND);
		CompletableFuture<String> b = release("b", SECOND);

		this.server.written().fail(new IllegalStateException("away"));

		assertThat(failure(a)).hasMessageContainingAll("Lock 'a'", "away");
		assertThat(failure(b)).hasMessageContainingAll("Lock 'b'", "away");
		assertThat(this.askedOtherwise).isEmpty();
	}

	@Test
	void scriptThatCannotBeSentFailsAndTakesNoMoreRequests() {
		this.server.down = true;
		assertThat(failure(take("a", SECOND))).hasMessageContainingAll("Lock 'a'", "down");
		this.server.down = false;

		CompletableFuture<String> b = take("b", SECOND);
		this.server.written().replyToAll();

		assertThat(b).isCompletedWithValue("taken b");
	}

	@Test
	void errorAboutSomeKeysMakesEachRequestFallBack() {
		CompletableFuture<String> a = take("a", SECOND);
		CompletableFuture<String> b = take("b", SECOND);

		this.server.written().fail(NO_PERMISSION);

		assertThat(a).isCompletedWithValue("otherwise a");
		assertThat(b).isCompletedWithValue("otherwise b");
	}

	@Test
	void errorAboutTheOnlyKeyFailsItsRequest() {
		CompletableFuture<String> a = take("a", SECOND);

		this.server.written().fail(NO_PERMISSION);

		assertThat(failure(a)).hasMessageStartingWith("Lock 'a': acquire failed: ");
	}

	@Test
	void concurrentRequestsAreNeitherLostNorSentTwice() {
		int threads = 4;
		int each = Effort.of(20_000, 200_000);
		List<CompletableFuture<Void>> asking = IntStream.range(0, threads)
			.mapToObj((thread) -> CompletableFuture.runAsync(() -> {
				for (int number = 0; number < each; number++) {
					String name = thread + "-" + number;
					assertThat(take(name, SECOND).join()).isEqualTo("taken " + name);
				}
			}, OwnThread::run))
			.toList();
		Set<String> sent = new HashSet<>();
		while (sent.size() < threads * each) {
			Sent written = this.server.written();
			assertThat(written.takes()).as("not sent before").allMatch(sent::add);
			written.replyToAll();
		}

		asking.forEach(CompletableFuture::join);
		assertThat(this.server.calls).isEmpty();
	}

	private CompletableFuture<String> take(String name, Duration timeout) {
		return this.quick.send(request(name, bytes(name + ":fence"), bytes("60000"), "taken ", timeout), timeout);
	}

	private CompletableFuture<String> release(String name, Duration timeout) {
		return this.quick.send(request(name, null, null, "released ", timeout), timeout);
	}

	private QuickLocks.Request<String> request(String name, byte @Nullable [] fence, byte @Nullable [] timeToLive,
			String done, Duration timeout) {
		return new QuickLocks.Request<>(new Operation("acquire", LockTarget.of(name), timeout),
				new QuickLocks.Entry(bytes(name), fence, bytes("value of " + name), timeToLive),
				(reply) -> (reply instanceof byte[]) ? "held" : done + reply, (rest) -> {
					this.askedOtherwise.add(name);
					return CompletableFuture.completedFuture("otherwise " + name);
				});
	}

	/** What the script returns for a lock that this test holds. */
	private static byte[] held(String name) {
		return bytes("value of " + name + "\t500");
	}

	private static Throwable failure(CompletableFuture<?> reply) {
		return Objects.requireNonNull(catchThrowable(reply::join)).getCause();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * A script that was written to the connection.
	 */
	private record Sent(ScriptCall call, Duration timeout, CompletableFuture<Object> reply) {

		List<String> takes() {
			assertThat(this.call.script()).isEqualTo(LockScript.TAKE);
			return keys().subList(0, keys().size() / 2);
		}

		List<String> releases() {
			assertThat(this.call.script()).isEqualTo(LockScript.FREE);
			return keys();
		}

		/**
		 * Reply to each request with the name of its lock.
		 */
		void replyToAll() {
			reply(List.copyOf(takes()));
		}

		void fail(RuntimeException failure) {
			this.reply.completeExceptionally(failure);
		}

		void replyHeld(String name) {
			this.reply.complete(held(name));
		}

		void reply(List<Object> replies) {
			this.reply.complete(replies);
		}

		private List<String> keys() {
			return this.call.seal().keys().stream().map(LockKeys::text).toList();
		}

	}

	/**
	 * Writes and replies when the test triggers it.
	 */
	private final class Server extends TestScriptRunner {

		private final BlockingQueue<Sent> calls = new LinkedBlockingQueue<>();

		private boolean down;

		private boolean clustered;

		@Override
		public CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration sendTimeout,
				@Nullable Predicate<Object> written) {
			if (this.down) {
				throw new IllegalStateException("down");
			}
			Sent sent = new Sent(call, timeout, new CompletableFuture<>());
			this.calls.add(sent);
			return sent.reply();
		}

		/**
		 * Write the next script.
		 */
		Sent written() {
			try {
				Sent sent = Objects.requireNonNull(this.calls.poll(30, TimeUnit.SECONDS), "nothing was sent");
				sent.call().seal().keys();
				return sent;
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public Duration sendTimeout(Duration timeout) {
			return timeout;
		}

		@Override
		public boolean countsReceivers() {
			return !this.clustered;
		}

	}

}
