package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

import io.github.redislock.LockStore;
import io.github.redislock.LockStore.AcquireRequest;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.FiveMasters;
import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Stores on the five servers that tests share, whose connection factories are made once.
 */
final class QuorumStores {

	/** Patient with a busy machine, and without a quarantine for the first lock. */
	static final RedisLockStoreOptions OPTIONS = RedisLockStoreOptions.quorum()
		.commandTimeout(Duration.ofSeconds(5))
		.coldStartQuarantine(Duration.ZERO);

	private static final List<RedisConnectionFactory> CONNECTION_FACTORIES = FiveMasters.shared().connectionFactories();

	private static final AtomicBoolean WARM = new AtomicBoolean();

	private QuorumStores() {
	}

	static LockStore create() {
		LockStore store = QuorumLockStore.create(CONNECTION_FACTORIES, OPTIONS);
		if (!WARM.getAndSet(true)) {
			// The first connections of a JVM take seconds on a busy machine.
			Awaitility.await("connections")
				.atMost(Duration.ofMinutes(1))
				.ignoreExceptions()
				.until(() -> store.inspect(LockTarget.of("warm-up")).toCompletableFuture().join().isEmpty());
		}
		return store;
	}

	/**
	 * Create a store some of whose nodes are not what they seem.
	 */
	static LockStore create(UnaryOperator<QuorumNode> disguise) {
		List<QuorumNode> nodes = QuorumNodes.create(CONNECTION_FACTORIES, OPTIONS).stream().map(disguise).toList();
		return new QuorumLockStore(new Quorum(nodes, OPTIONS.commandTimeout()));
	}

	/**
	 * Create a store on one of the servers alone.
	 */
	static RedisLockStore node(int index) {
		return RedisLockStore.create(CONNECTION_FACTORIES.get(index), OPTIONS);
	}

	static AcquireRequest request(LockTarget target, String owner, String id) {
		return new AcquireRequest(target, owner, id, Duration.ofMinutes(1));
	}

}
