package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.redis.LettuceScriptRunner;
import io.github.redislock.internal.redis.LettuceSubscriber;
import io.github.redislock.internal.redis.LockConnectionFactory;
import io.github.redislock.internal.redis.ScriptRunner;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.testing.NeedsRedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * A Cluster in which scripts use {@code SPUBLISH} instead of {@code PUBLISH}, as on
 * services that bind channels to slots. Otherwise the scripts are those of the library,
 * and the server itself refuses what is not permitted.
 */
@NeedsRedisServer
@Tag("fault")
class RefusedPublishInClusterTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final RedisLockStoreOptions OPTIONS = RedisLockStoreOptions.defaults();

	/** A key that is not in the slot of the inbox. */
	private final LockTarget target = LockTarget.of("sharded");

	private final String inbox = "distributed_lock:inbox:here";

	private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

	@Test
	void waiterAndHolderAreNotified() throws Exception {
		try (RedisLockStore store = new RedisLockStore(this::open, OPTIONS, true, true, false)) {
			assertHandedOver(store);

			assertThat(join(store.forceRelease(this.target, null))).isTrue();
			assertThat(next()).isEqualTo("forced " + this.target.name());
		}
	}

	@Test
	void instanceChannelInAnotherSlotIsRefused() {
		byte[] script = sharded("return redis.call('PUBLISH', ARGV[2], redis.call('PUBLISH', ARGV[1], 'news'))")
			.getBytes(StandardCharsets.UTF_8);
		byte[] key = new LockKeys(OPTIONS.keyPrefix()).of(this.target, LockKeys.QUEUE).get(1);
		RedisCallback<Object> call = (connection) -> connection.scriptingCommands()
			.eval(script, ReturnType.INTEGER, 1, key, key, this.inbox.getBytes(StandardCharsets.UTF_8));

		assertThatException().isThrownBy(() -> new StringRedisTemplate(Deployments.cluster()).execute(call))
			.havingRootCause()
			.withMessageMatching("(?s).*(non local key|do not hash to the same slot).*");
	}

	private void assertHandedOver(RedisLockStore store) throws InterruptedException {
		store.listen(new Heard());
		AcquireRequest first = new AcquireRequest(this.target, "first", "r1", MINUTE);
		AcquireRequest second = new AcquireRequest(this.target, "second", "r2", MINUTE, 1, Duration.ofSeconds(20),
				new AcquireRequest.Attempt(7));
		Awaitility.await()
			.ignoreExceptions()
			.atMost(MINUTE)
			.until(() -> join(store.acquire(first)) instanceof AcquireReply.Granted);
		Awaitility.await()
			.atMost(MINUTE)
			.until(() -> join(store.acquire(second)) instanceof AcquireReply.Held held && held.notified());

		assertThat(join(store.release(first, Duration.ZERO))).isTrue();
		assertThat(next()).isEqualTo("r2");
	}

	private String next() throws InterruptedException {
		return this.heard.poll(20, TimeUnit.SECONDS);
	}

	private Link open() {
		LockConnectionFactory own = Objects.requireNonNull(
				LockConnectionFactory.deriveFrom((LettuceConnectionFactory) Deployments.cluster(), OPTIONS.client()));
		ScriptRunner runner = new LettuceScriptRunner(own, OPTIONS.client(), (failure) -> {
		});
		return Link.of(new ChangedScripts(runner, RefusedPublishInClusterTests::sharded),
				new Inbox(this.inbox, "distributed_lock:inbox:all", new LettuceSubscriber(own)), OPTIONS,
				System::nanoTime);
	}

	/**
	 * Return a script whose messages are bound to slots. Its first line makes Redis
	 * refuse channels of other slots even on the same node.
	 */
	private static String sharded(String script) {
		return "#!lua\n" + script.replace("'PUBLISH'", "'SPUBLISH'");
	}

	private static <T> T join(CompletionStage<T> reply) {
		return reply.toCompletableFuture().join();
	}

	private final class Heard implements HandOverListener {

		@Override
		public void handedOver(HandOver handOver) {
			RefusedPublishInClusterTests.this.heard.add(handOver.requestId());
		}

		@Override
		public void takenByForce(String name) {
			RefusedPublishInClusterTests.this.heard.add("forced " + name);
		}

		@Override
		public void changed() {
			// No caller waits.
		}

	}

}
