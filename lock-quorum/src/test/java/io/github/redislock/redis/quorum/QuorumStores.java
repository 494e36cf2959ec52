package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.FiveMasters;
import org.awaitility.Awaitility;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Stores on the five servers that tests share, with connection factories that are created
 * once.
 */
public final class QuorumStores {

	/** For a busy machine, and without a quarantine for the first lock. */
	public static final RedisLockStoreOptions OPTIONS = RedisLockStoreOptions.quorum()
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
	 * Create a store with some of its nodes replaced.
	 */
	static LockStore create(UnaryOperator<QuorumNode> disguise) {
		return create(OPTIONS.commandTimeout(), disguise);
	}

	/**
	 * Create a store with some of its nodes replaced.
	 * @param patience how long to try to settle a vote that no owner has won
	 */
	static LockStore create(Duration patience, UnaryOperator<QuorumNode> disguise) {
		List<QuorumNode> nodes = QuorumNodes.create(CONNECTION_FACTORIES, OPTIONS).stream().map(disguise).toList();
		return new QuorumLockStore(new Quorum(nodes, patience), QuorumPauses::new);
	}

	/**
	 * Return a node whose store is replaced.
	 */
	static QuorumNode disguised(QuorumNode node, UnaryOperator<LockStore> store) {
		return new QuorumNode(node.name(), store.apply(node.store()), node.fences());
	}

	/**
	 * Create a store on a single server.
	 */
	static RedisLockStore node(int index) {
		return RedisLockStore.create(CONNECTION_FACTORIES.get(index), OPTIONS);
	}

	/**
	 * Acquire a lock on some of the servers.
	 * @return the request on each of them
	 */
	static List<AcquireRequest> occupy(LockTarget target, String owner, int... nodes) {
		List<AcquireRequest> requests = new ArrayList<>();
		for (int node : nodes) {
			AcquireRequest request = request(target, owner, UUID.randomUUID().toString());
			try (LockStore store = node(node)) {
				assertThat(store.acquire(request).toCompletableFuture().join())
					.isInstanceOf(AcquireReply.Granted.class);
			}
			requests.add(request);
		}
		return requests;
	}

	/**
	 * Release a lock on some of the servers.
	 */
	static void release(List<AcquireRequest> held, int... nodes) {
		for (int index = 0; index < nodes.length; index++) {
			try (LockStore store = node(nodes[index])) {
				assertThat(store.release(held.get(index), Duration.ZERO).toCompletableFuture().join()).isTrue();
			}
		}
	}

	/**
	 * Return a reply, or throw what it failed with.
	 */
	static <T> T join(CompletionStage<T> reply) {
		try {
			return reply.toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : ex;
		}
	}

	/**
	 * Wait until the servers report these owners of a lock, with "-" for no owner.
	 */
	static void awaitOwners(LockTarget target, String... owners) {
		Awaitility.await().untilAsserted(() -> assertThat(owners(target)).containsExactly(owners));
	}

	/**
	 * Return the owner that each server reports, with "-" for no owner.
	 */
	static List<String> owners(LockTarget target) {
		return FiveMasters.shared().nodes().stream().map((node) -> {
			Object owner = node.command("GET", "distributed_lock:" + target);
			return (owner != null) ? owner.toString().replaceFirst("\t.*", "") : "-";
		}).toList();
	}

	static AcquireRequest request(LockTarget target, String owner, String id) {
		return new AcquireRequest(target, owner, id, Duration.ofMinutes(1));
	}

}
