package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.github.redislock.HeldLock;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.client.LettuceSubscriber;
import io.github.redislock.internal.client.LockConnectionFactory;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisCluster;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.SentinelGroup;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A replica replaces its master, with Sentinel and in a Redis Cluster.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-per-deployment")
class FailoverTests {

	private static final LockTarget JOB = LockTarget.of("job");

	private static final String KEY = FaultyNetwork.key("job");

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	/** Longer than a failover takes on a busy machine. */
	private static final Duration LEASE = Duration.ofSeconds(40);

	private static final LockOptions PATIENT = LockOptions.options().timeout(LEASE).waitTime(PATIENCE);

	private static final LockOptions ONCE = PATIENT.waitTime(Duration.ZERO);

	private final List<LockLostException> losses = new CopyOnWriteArrayList<>();

	private final List<RedisLockTemplate> templates = new CopyOnWriteArrayList<>();

	private @Nullable SentinelGroup sentinels;

	private RedisCluster cluster;

	/** The first master of the lock. */
	private RedisProcess master;

	@AfterEach
	void stop() {
		List<RedisProcess> servers = (this.sentinels != null) ? this.sentinels.servers() : this.cluster.nodes();
		servers.stream().filter(RedisProcess::isAlive).forEach(RedisProcess::thaw);
		this.templates.forEach(RedisLockTemplate::close);
		if (this.sentinels != null) {
			this.sentinels.close();
		}
		else {
			this.cluster.close();
		}
	}

	@ParameterizedTest
	@MethodSource("replacements")
	void lockSurvivesTheReplacementOfItsMaster(Kind kind, Replacement replacement, int acks) {
		start(kind);
		RedisLockTemplate locks = template(acks);
		RedisLockTemplate others = template(acks);
		LockHandle lock = locks.acquire(JOB, PATIENT);
		awaitReplicated(lock);

		replace(replacement);
		RedisProcess promoted = awaitPromotion();
		if (acks > 0) {
			// In a Cluster, only the former master can now acknowledge anything.
			this.master.restart();
			awaitHealthy();
		}

		await("renewed at the new master").until(() -> {
			lock.renew(Duration.ofMinutes(1));
			return (Long) promoted.command("PTTL", KEY) > 50_000;
		});
		assertThat(lock.isHeld()).isTrue();
		await("known to others").until(() -> others.isLocked(JOB));
		assertThat(others.tryAcquire(JOB, ONCE)).isNull();
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
		others.acquire(JOB, PATIENT).close();
		assertThat(this.losses).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("troubles")
	void waiterIsServedByTheNewMaster(Kind kind, Replacement trouble) {
		start(kind);
		RedisLockTemplate locks = template(0);
		RedisLockTemplate others = template(0);
		// These callers have no connection to the master of the lock in a Cluster.
		others.acquire(LockTarget.of(elsewhere()), PATIENT).close();
		LockHandle lock = locks.acquire(JOB, PATIENT);
		awaitReplicated(lock);
		CompletableFuture<LockHandle> waiter = acquire(template(0));
		await("waiter").until(() -> locks.inspect(JOB).orElseThrow().waiters() == 1);

		replace(trouble);
		CompletableFuture<LockHandle> late = acquire(others);
		awaitPromotion();
		assertThat(lock.release()).isIn(ReleaseOutcome.RELEASED, ReleaseOutcome.UNKNOWN);

		CompletableFuture<?> served = CompletableFuture.allOf(waiter.thenAccept(LockHandle::close),
				late.thenAccept(LockHandle::close));
		assertThat(served).succeedsWithin(PATIENCE);
	}

	/**
	 * The reason why {@code min-acks} must count every replica that may be promoted. A
	 * lock that the promoted replica does not have is granted again, and the first holder
	 * detects that only when it asks the new master, after reconnecting to it.
	 */
	@Test
	@Tag("thorough")
	void tooFewAcknowledgementsAllowAHeldLockToBeGranted() {
		start(Kind.SENTINEL);
		RedisProcess deaf = replicas().get(0);
		RedisProcess other = replicas().get(1);
		RedisLockTemplate locks = template(1);
		locks.acquire(LockTarget.of("warm-up"), PATIENT).close();
		cutOff(deaf, other);
		LockHandle first = locks.acquire(JOB, PATIENT);
		first.detach();

		this.master.kill();
		other.kill();
		deaf.thaw();
		assertThat(awaitPromotion()).isSameAs(deaf);
		LockHandle second = template(0).acquire(JOB, PATIENT);

		assertThat(second.isHeld()).isTrue();
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		// The holder itself detects the loss a little earlier than its listeners.
		await("loss").until(() -> this.losses.size() == 1);
		assertThat(first.isHeld()).isFalse();
		assertThat(first.verify()).isFalse();
		assertThat(second.verify()).isTrue();
	}

	@Test
	void lockMissedByOneReplicaIsNotGrantedIfAllMustAcknowledge() {
		start(Kind.SENTINEL);
		RedisLockTemplate locks = template(2);
		locks.acquire(LockTarget.of("warm-up"), PATIENT).close();
		RedisProcess deaf = replicas().get(0);
		cutOff(deaf, replicas().get(1));

		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.acquire(JOB, ONCE))
			.withMessageContaining("only 1 replicas acknowledged it");

		this.master.kill();
		deaf.thaw();
		awaitPromotion();
		try (LockHandle second = template(0).acquire(JOB, PATIENT)) {
			assertThat(second.isHeld()).isTrue();
		}
	}

	@Test
	void messagesArriveThroughAnyNodeOfACluster() {
		start(Kind.CLUSTER);
		LockConnectionFactory connections = LockConnectionFactory.deriveFrom(this.cluster.connectionFactory(),
				RedisLockStoreOptions.defaults().client());
		List<String> heard = new CopyOnWriteArrayList<>();
		Inbox inbox = new Inbox("letters", "news", new LettuceSubscriber(connections));
		inbox.listen(new HandOverListener() {

			@Override
			public void handedOver(HandOver handOver) {
				heard.add(handOver.requestId());
			}

			@Override
			public void changed() {
				// The waiter retries.
			}

		}, false);
		inbox.open();
		await("inbox").until(inbox::isOpen);
		List<RedisProcess> nodes = this.cluster.nodes();
		RedisProcess subscribed = nodes.stream().filter(FailoverTests::hasInbox).findFirst().orElseThrow();

		for (RedisProcess node : nodes) {
			node.command("PUBLISH", "letters", "from-%d 1 1".formatted(node.port()));
		}
		await("messages of all nodes").until(() -> heard.size() == nodes.size());

		subscribed.kill();
		RedisProcess another = nodes.stream().filter(RedisProcess::isRunning).findFirst().orElseThrow();
		await("messages by another node").until(() -> {
			inbox.open();
			another.command("PUBLISH", "letters", "afterwards 1 1");
			return heard.contains("afterwards");
		});
		inbox.close();
		connections.destroy();
	}

	static Stream<Arguments> replacements() {
		return Stream.of(Kind.values())
			.flatMap((kind) -> Effort.cases(Arguments.of(kind, Replacement.CRASH, 1),
					Arguments.of(kind, Replacement.FREEZE, 0), Arguments.of(kind, Replacement.PLANNED, 0)));
	}

	static Stream<Arguments> troubles() {
		return Stream.of(Kind.values())
			.flatMap((kind) -> Effort.cases(Arguments.of(kind, Replacement.FREEZE),
					Arguments.of(kind, Replacement.CRASH)));
	}

	private void start(Kind kind) {
		if (kind == Kind.SENTINEL) {
			this.sentinels = SentinelGroup.start();
		}
		else {
			this.cluster = RedisCluster.start();
		}
		this.master = master();
	}

	/**
	 * Return the name of a lock that is not at the same master, if there are several.
	 */
	private String elsewhere() {
		return Stream.iterate(0, (number) -> number + 1)
			.map((number) -> "job" + number)
			.filter((name) -> this.sentinels != null || this.cluster.nodeOf(FaultyNetwork.key(name)) != this.master)
			.findFirst()
			.orElseThrow();
	}

	private static boolean hasInbox(RedisProcess node) {
		return ((List<?>) Objects.requireNonNull(node.command("PUBSUB", "CHANNELS"))).contains("letters");
	}

	/**
	 * Stop the data on its way to a replica, and all later data.
	 */
	private void cutOff(RedisProcess deaf, RedisProcess other) {
		deaf.freeze();
		// Otherwise the replica would read the rest when it resumes.
		this.master.command("CLIENT", "KILL", "TYPE", "replica");
		await("the other is back")
			.until(() -> other.command("INFO", "replication").toString().contains("link_status:up")
					&& this.master.command("INFO", "replication").toString().contains("state=online"));
	}

	private static CompletableFuture<LockHandle> acquire(RedisLockTemplate template) {
		return CompletableFuture.supplyAsync(() -> {
			LockHandle lock = template.acquire(JOB, PATIENT);
			// This thread ends before the test continues with the lock.
			lock.detach();
			return lock;
		}, OwnThread::run);
	}

	private void awaitReplicated(LockHandle lock) {
		await("replicated").until(() -> replicas().stream()
			.allMatch((replica) -> lock.owner().equals(FaultyNetwork.ownerIn(valueAt(replica)))));
	}

	private RedisLockTemplate template(int acks) {
		RedisConnectionFactory servers = (this.sentinels != null) ? this.sentinels.connectionFactory()
				: this.cluster.connectionFactory();
		RedisLockTemplate locks = new RedisLockTemplate(
				RedisLockStore.create(servers, RedisLockStoreOptions.defaults().minAcks(acks)),
				LockConfiguration.defaults().listeners(List.of(new LockListener() {

					@Override
					public void lost(HeldLock lock, LockLostException loss) {
						FailoverTests.this.losses.add(loss);
					}

				})));
		this.templates.add(locks);
		return locks;
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).ignoreExceptions();
	}

	/**
	 * Return the master of the lock.
	 */
	private RedisProcess master() {
		return (this.sentinels != null) ? this.sentinels.master() : this.cluster.nodeOf(KEY);
	}

	private List<RedisProcess> replicas() {
		return (this.sentinels != null) ? this.sentinels.replicas() : List.of(this.cluster.replicaOf(this.master));
	}

	private @Nullable Object valueAt(RedisProcess replica) {
		return (this.sentinels != null) ? replica.command("GET", KEY) : this.cluster.valueAt(replica, KEY);
	}

	private RedisProcess awaitPromotion() {
		if (this.sentinels != null) {
			return this.sentinels.awaitMasterOtherThan(this.master);
		}
		await("another master").until(() -> master() != this.master);
		this.cluster.awaitMaster(master());
		return master();
	}

	private void awaitHealthy() {
		if (this.sentinels != null) {
			this.sentinels.awaitHealthy();
		}
		else {
			this.cluster.awaitHealthy();
		}
	}

	private void replace(Replacement replacement) {
		switch (replacement) {
			case CRASH -> this.master.kill();
			case FREEZE -> this.master.freeze();
			case PLANNED -> {
				if (this.sentinels != null) {
					this.sentinels.failOver();
				}
				else {
					this.cluster.failOver(this.master);
				}
				awaitHealthy();
			}
		}
	}

	/**
	 * How a master is replaced.
	 */
	enum Replacement {

		CRASH,

		/** Its connections stay open without replies. */
		FREEZE,

		/** The former master serves its connections until it is demoted. */
		PLANNED

	}

	/**
	 * What promotes a replica.
	 */
	enum Kind {

		SENTINEL, CLUSTER

	}

}
