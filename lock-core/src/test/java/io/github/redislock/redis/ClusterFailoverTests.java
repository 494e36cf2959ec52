package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.github.redislock.HeldLock;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.internal.redis.LettuceSubscriber;
import io.github.redislock.internal.redis.LockConnectionFactory;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisCluster;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A node of a Redis Cluster fails, and its replica is promoted.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-per-deployment")
class ClusterFailoverTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final LockOptions PATIENT = LockOptions.options().timeout(Duration.ofSeconds(15)).waitTime(PATIENCE);

	private static final String KEY = FaultyNetwork.key("job");

	private static RedisCluster cluster;

	private final Losses losses = new Losses();

	private RedisLockTemplate locks;

	private RedisLockTemplate others;

	private RedisProcess master;

	private RedisProcess replica;

	@BeforeAll
	static void startCluster() {
		cluster = RedisCluster.start();
	}

	@AfterAll
	static void stopCluster() {
		cluster.close();
	}

	@BeforeEach
	void start() {
		this.locks = template();
		this.others = template();
		this.locks.acquire(LockTarget.of("job"), PATIENT).close();
		this.others.acquire(LockTarget.of("job"), PATIENT).close();
		this.master = cluster.nodeOf(KEY);
		this.replica = cluster.replicaOf(this.master);
	}

	@AfterEach
	void recover() {
		Trouble.end(this.master);
		this.locks.close();
		this.others.close();
		cluster.awaitHealthy();
	}

	@ParameterizedTest
	@MethodSource("troubles")
	void lockSurvivesTheFailoverOfItsNode(Trouble trouble) {
		LockHandle lock = this.locks.acquire(LockTarget.of("job"), PATIENT);
		awaitReplicated(lock);

		trouble.begin(this.master);
		cluster.awaitMaster(this.replica);

		await("renewed at the other node").until(() -> {
			lock.renew(Duration.ofMinutes(1));
			return (Long) this.replica.command("PTTL", KEY) > 50_000;
		});
		assertThat(lock.isHeld()).isTrue();
		await("known to others").until(() -> this.others.isLocked(LockTarget.of("job")));
		assertThat(this.others.tryAcquire(LockTarget.of("job"), PATIENT.waitTime(Duration.ZERO))).isNull();
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
		this.others.acquire(LockTarget.of("job"), PATIENT).close();
		assertThat(this.losses.all).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("troubles")
	void waiterIsServedByTheNewMaster(Trouble trouble) {
		LockHandle lock = this.locks.acquire(LockTarget.of("job"), PATIENT);
		awaitReplicated(lock);
		CompletableFuture<LockHandle> waiter = acquire(this.others);
		await("waiter").until(() -> this.locks.inspect(LockTarget.of("job")).orElseThrow().waiters() == 1);

		trouble.begin(this.master);
		cluster.awaitMaster(this.replica);

		assertThat(lock.release()).isIn(ReleaseOutcome.RELEASED, ReleaseOutcome.UNKNOWN);
		assertThat(waiter).succeedsWithin(PATIENCE);
		assertThat(waiter.join().release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@ParameterizedTest
	@MethodSource("troubles")
	@Tag("thorough")
	void callerDuringAFailoverIsServedByTheNewMaster(Trouble trouble) {
		trouble.begin(this.master);

		CompletableFuture<LockHandle> waiter = acquire(this.locks);

		assertThat(waiter).succeedsWithin(PATIENCE);
		assertThat(waiter.join().release()).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.replica.command("ROLE").toString()).startsWith("[master");
	}

	@ParameterizedTest
	@MethodSource("troubles")
	@Tag("thorough")
	void clientWithoutAConnectionToTheNodeFindsTheNewMaster(Trouble trouble) {
		try (RedisLockTemplate fresh = template()) {
			fresh.acquire(LockTarget.of(elsewhere()), PATIENT).close();

			trouble.begin(this.master);
			cluster.awaitMaster(this.replica);

			CompletableFuture<LockHandle> waiter = acquire(fresh);
			assertThat(waiter).succeedsWithin(PATIENCE);
			waiter.join().close();
		}
	}

	@ParameterizedTest
	@MethodSource("troubles")
	void messagesArriveThroughAnyNode(Trouble trouble) {
		LockConnectionFactory connections = Objects.requireNonNull(LockConnectionFactory
			.deriveFrom(cluster.connectionFactory(), RedisLockStoreOptions.defaults().client()));
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
		RedisProcess subscribed = cluster.nodes()
			.stream()
			.filter(ClusterFailoverTests::hasInbox)
			.findFirst()
			.orElseThrow();
		for (RedisProcess node : cluster.nodes()) {
			node.command("PUBLISH", "letters", "from-%d 1 1".formatted(node.port()));
		}
		await("messages of all nodes").until(() -> heard.size() == cluster.nodes().size());

		trouble.begin(subscribed);

		RedisProcess another = cluster.nodes().stream().filter(RedisProcess::isRunning).findFirst().orElseThrow();
		await("messages by another node").until(() -> {
			inbox.open();
			another.command("PUBLISH", "letters", "afterwards 1 1");
			return heard.contains("afterwards");
		});
		inbox.close();
		connections.destroy();
		Trouble.end(subscribed);
	}

	static Stream<Trouble> troubles() {
		return Effort.cases(Trouble.values());
	}

	private static boolean hasInbox(RedisProcess node) {
		return ((List<?>) Objects.requireNonNull(node.command("PUBSUB", "CHANNELS"))).contains("letters");
	}

	private String elsewhere() {
		int number = 0;
		while (cluster.nodeOf(FaultyNetwork.key("job" + number)) == this.master) {
			number++;
		}
		return "job" + number;
	}

	private static CompletableFuture<LockHandle> acquire(RedisLockTemplate template) {
		return CompletableFuture.supplyAsync(() -> {
			LockHandle lock = template.acquire(LockTarget.of("job"), PATIENT);
			// This thread ends before the test continues with the lock.
			lock.detach();
			return lock;
		}, OwnThread::run);
	}

	private void awaitReplicated(LockHandle lock) {
		await("replicated").until(() -> String.valueOf(cluster.valueAt(this.replica, KEY)).startsWith(lock.owner()));
	}

	private RedisLockTemplate template() {
		return new RedisLockTemplate(
				RedisLockStore.create(cluster.connectionFactory(), RedisLockStoreOptions.defaults()),
				LockConfiguration.defaults().listeners(List.of(this.losses)));
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).ignoreExceptions();
	}

	private static final class Losses implements LockListener {

		private final List<LockLostException> all = new CopyOnWriteArrayList<>();

		@Override
		public void lost(HeldLock lock, LockLostException loss) {
			this.all.add(loss);
		}

	}

}
