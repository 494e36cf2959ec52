package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockStore.Link;
import io.github.redislock.redis.RedisLockStoreOptions.Channels;
import io.github.redislock.redis.client.LettuceScriptRunner;
import io.github.redislock.redis.client.LockConnectionFactory;
import io.github.redislock.redis.client.Script;
import io.github.redislock.redis.client.ScriptCall;
import io.github.redislock.redis.client.ScriptRunner;
import io.github.redislock.redis.client.Subscriber;
import io.github.redislock.redis.client.Timeouts;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.testing.NeedsRedisServer;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.pubsub.StatefulRedisClusterPubSubConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * In a Cluster where {@code PUBLISH} in scripts is replaced by {@code SPUBLISH}, as on
 * services that bind channels to slots. Apart from that word the scripts are the
 * library's, and the server itself refuses what is not allowed.
 */
@NeedsRedisServer
@Tag("fault")
class SlotChannelsInClusterTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final RedisLockStoreOptions OPTIONS = RedisLockStoreOptions.defaults();

	/** Not in the slot of the inbox. */
	private final LockTarget target = LockTarget.of("sharded");

	private final String inbox = "distributed_lock:inbox:here";

	private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

	@Test
	void channelOfALockLiesInItsSlot() throws Exception {
		try (RedisLockStore store = new RedisLockStore(this::open, OPTIONS, true, true, false)) {
			assertHandedOver(store);

			assertThat(join(store.forceRelease(this.target, null))).isTrue();
			assertThat(next()).isEqualTo("forced " + this.target.name());
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void patternSubscriptionsWorkInAnyCluster(boolean jedis) throws Exception {
		try (RedisLockStore store = RedisLockStore.create(jedis ? Deployments.clusterByJedis() : Deployments.cluster(),
				OPTIONS.channels(Channels.SLOT))) {
			assertHandedOver(store);

			assertThat(join(store.forceRelease(this.target, null))).isTrue();
		}
	}

	@Test
	void instanceChannelInAnotherSlotIsRefused() {
		byte[] script = sharded("return redis.call('PUBLISH', ARGV[2], redis.call('PUBLISH', ARGV[1], 'news'))");
		byte[] key = new LockKeys(OPTIONS.keyPrefix()).queue(this.target);
		RedisCallback<Object> call = (connection) -> connection.scriptingCommands()
			.eval(script, ReturnType.INTEGER, 1, key, key, this.inbox.getBytes(StandardCharsets.UTF_8));

		assertThatException().isThrownBy(() -> new StringRedisTemplate(Deployments.cluster()).execute(call))
			.havingRootCause()
			.withMessageMatching("(?s).*(non local key|do not hash to the same slot).*");
	}

	private void assertHandedOver(RedisLockStore store) throws InterruptedException {
		store.listen(new Heard());
		AcquireRequest first = new AcquireRequest(this.target, "first", "r1", MINUTE);
		AcquireRequest second = new AcquireRequest(this.target, "second", "r2", MINUTE, 1, Duration.ofSeconds(20), 7,
				Duration.ZERO, true, 0);
		Awaitility.await()
			.ignoreExceptions()
			.atMost(MINUTE)
			.until(() -> join(store.acquire(first)) instanceof AcquireReply.Granted);
		Awaitility.await()
			.atMost(MINUTE)
			.until(() -> join(store.acquire(second)) instanceof AcquireReply.Held held && held.told());

		assertThat(join(store.release(first, Duration.ZERO))).isTrue();
		assertThat(next()).isEqualTo("r2");
	}

	private String next() throws InterruptedException {
		return this.heard.poll(20, TimeUnit.SECONDS);
	}

	private Link open() {
		LockConnectionFactory own = Objects.requireNonNull(
				LockConnectionFactory.deriveFrom((LettuceConnectionFactory) Deployments.cluster(), OPTIONS.client()));
		ScriptRunner runner = new ShardedRunner(new LettuceScriptRunner(own, OPTIONS.client(), (failure) -> {
		}));
		return Link.of(runner, new Inbox(this.inbox, "distributed_lock:inbox:all", this::subscribe), OPTIONS);
	}

	/**
	 * Subscribe to the channels that a pattern would match; a Cluster has no patterns for
	 * shard channels.
	 */
	private Subscriber.Subscription subscribe(List<String> patterns, Subscriber.Events events) {
		assertThat(patterns).allMatch(Subscriber::isPattern);
		RedisClusterClient client = (RedisClusterClient) ((LettuceConnectionFactory) Deployments.cluster())
			.getRequiredNativeClient();
		StatefulRedisClusterPubSubConnection<byte[], byte[]> connection = client.connectPubSub(ByteArrayCodec.INSTANCE);
		connection.addListener(new RedisPubSubAdapter<byte[], byte[]>() {

			@Override
			public void ssubscribed(byte[] channel, long count) {
				events.subscribed();
			}

			@Override
			public void smessage(byte[] channel, byte[] message) {
				events.message(message);
			}

		});
		String tag = ":{distributed_lock:" + this.target.name() + "}";
		connection.sync()
			.ssubscribe(patterns.stream()
				.map((pattern) -> pattern.substring(0, pattern.length() - 1) + tag)
				.map((channel) -> channel.getBytes(StandardCharsets.UTF_8))
				.toArray(byte[][]::new));
		return new Subscriber.Subscription() {

			@Override
			public CompletionStage<?> ping() {
				return CompletableFuture.completedFuture(null);
			}

			@Override
			public CompletionStage<?> end() {
				return connection.closeAsync();
			}

		};
	}

	/**
	 * Return a script whose messages are bound to slots. Its first line makes Redis
	 * refuse channels of other slots even on the same node.
	 */
	private static byte[] sharded(String script) {
		return ("#!lua\n" + script.replace("'PUBLISH'", "'SPUBLISH'")).getBytes(StandardCharsets.UTF_8);
	}

	private static <T> T join(CompletionStage<T> reply) {
		return reply.toCompletableFuture().join();
	}

	private final class Heard implements HandOverListener {

		@Override
		public void handedOver(HandOver handOver) {
			SlotChannelsInClusterTests.this.heard.add(handOver.requestId());
		}

		@Override
		public void takenByForce(String name) {
			SlotChannelsInClusterTests.this.heard.add("forced " + name);
		}

		@Override
		public void changed() {
			// No caller waits.
		}

	}

	/**
	 * Runs the changed scripts.
	 */
	private record ShardedRunner(ScriptRunner runner) implements ScriptRunner {

		private static final Map<LockScript, Script> SCRIPTS = new EnumMap<>(LockScript.class);

		static {
			for (LockScript script : LockScript.values()) {
				SCRIPTS.put(script, new Sharded(script));
			}
		}

		@Override
		public CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration patience,
				@Nullable Predicate<Object> written) {
			Script script = Objects.requireNonNull(SCRIPTS.get((LockScript) call.script()));
			return this.runner.run(ScriptCall.of(script, call.keys(), call.arguments()), timeout, patience, written);
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

	/**
	 * A script with changed text.
	 */
	private record Sharded(LockScript original, byte[] bytes, String sha1) implements Script {

		Sharded(LockScript original) {
			this(original, sharded(new String(original.bytes(), StandardCharsets.UTF_8)));
		}

		private Sharded(LockScript original, byte[] bytes) {
			this(original, bytes, sha1(bytes));
		}

		private static String sha1(byte[] bytes) {
			try {
				return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
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
