package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisCluster;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * In a Redis Cluster, a lock is acquired only when the replica of its node has it.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-per-deployment")
class ReplicatedClusterTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final LockOptions PATIENT = LockOptions.options().timeout(Duration.ofMinutes(1)).waitTime(PATIENCE);

	private static final LockOptions ONCE = PATIENT.waitTime(Duration.ZERO);

	private static final RedisLockStoreOptions ACKNOWLEDGED = RedisLockStoreOptions.defaults().minAcks(1);

	private static final String KEY = FaultyNetwork.key("job");

	private static RedisCluster cluster;

	private RedisLockTemplate locks;

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
		this.locks.acquire(LockTarget.of("job"), PATIENT).close();
		this.master = cluster.nodeOf(KEY);
		this.replica = cluster.replicaOf(this.master);
	}

	@AfterEach
	void recover() {
		this.locks.close();
		cluster.awaitHealthy();
	}

	@Test
	void replicatedLockIsAcquired() {
		for (String name : List.of("job", "b", "c", "d", "e")) {
			String key = FaultyNetwork.key(name);
			try (LockHandle lock = this.locks.acquire(LockTarget.of(name), PATIENT)) {
				RedisProcess own = cluster.replicaOf(cluster.nodeOf(key));
				assertThat(FaultyNetwork.ownerIn(cluster.valueAt(own, key))).isEqualTo(lock.owner());
				lock.renew();
			}
		}
	}

	@Test
	void unreplicatedLockIsNotAcquiredButOtherNodesAreUnaffected() {
		this.replica.freeze();

		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.locks.acquire(LockTarget.of("job"), ONCE))
			.withMessageContaining("only 0 replicas acknowledged it")
			.satisfies((failure) -> assertThat(failure.isRetryable()).isTrue());
		Awaitility.await("taken back").until(() -> this.master.command("GET", KEY) == null);
		this.locks.acquire(LockTarget.of(elsewhere()), PATIENT).close();

		this.replica.thaw();
		this.locks.acquire(LockTarget.of("job"), PATIENT).close();
	}

	/**
	 * The node of a lost connection is unknown, so any node counts.
	 */
	@Test
	void acknowledgementAfterALostConnectionDoesNotCount() {
		String other = elsewhere();
		RedisProcess otherMaster = cluster.nodeOf(FaultyNetwork.key(other));
		this.locks.close();
		this.locks = template(ACKNOWLEDGED.commandTimeout(Duration.ofSeconds(60)));
		this.locks.acquire(LockTarget.of("job"), PATIENT).close();
		this.locks.acquire(LockTarget.of(other), PATIENT).close();
		this.replica.freeze();
		CompletableFuture<LockHandle> refused = CompletableFuture
			.supplyAsync(() -> this.locks.acquire(LockTarget.of("job"), ONCE), OwnThread::run);
		Awaitility.await("written").until(() -> this.master.command("GET", KEY) != null);
		Set<String> broken = clients(otherMaster);

		assertThat((Long) otherMaster.command("CLIENT", "KILL", "TYPE", "normal")).isPositive();
		Awaitility.await("connected again")
			.atMost(PATIENCE)
			.until(() -> clients(otherMaster).stream().anyMatch((client) -> !broken.contains(client)));
		this.replica.thaw();

		assertThatExceptionOfType(CompletionException.class).isThrownBy(refused::join)
			.withMessageContaining("the connection to Redis broke before 1 acknowledgements of replicas arrived");
		Awaitility.await("taken back").until(() -> this.master.command("GET", KEY) == null);
	}

	@Test
	void acknowledgementsInAClusterAreRefusedWithoutLettuce() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisLockStore.create(cluster.jedisConnectionFactory(), ACKNOWLEDGED))
			.withMessage("redis-lock.replication.min-acks works in a Redis Cluster only with a"
					+ " LettuceConnectionFactory");
		try (RedisLockTemplate hidden = new RedisLockTemplate(
				RedisLockStore.create(Route.FOREIGN_FACTORY.over(cluster.connectionFactory()), ACKNOWLEDGED),
				LockConfiguration.defaults())) {
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> hidden.acquire(LockTarget.of("job"), PATIENT))
				.withMessageContaining("works in a Redis Cluster only with")
				.satisfies((failure) -> assertThat(failure.isRetryable()).isFalse());
		}
	}

	/**
	 * Return the ids of the connections that send scripts to a node.
	 */
	private static Set<String> clients(RedisProcess node) {
		return String.valueOf(node.command("CLIENT", "LIST", "TYPE", "normal"))
			.lines()
			.filter((line) -> line.contains("name=redis-lock"))
			.map((line) -> line.substring(0, line.indexOf(' ')))
			.collect(Collectors.toSet());
	}

	private String elsewhere() {
		int number = 0;
		while (cluster.nodeOf(FaultyNetwork.key("job" + number)) == this.master) {
			number++;
		}
		return "job" + number;
	}

	private static RedisLockTemplate template() {
		return template(ACKNOWLEDGED);
	}

	private static RedisLockTemplate template(RedisLockStoreOptions options) {
		return new RedisLockTemplate(RedisLockStore.create(cluster.connectionFactory(), options),
				LockConfiguration.defaults());
	}

}
