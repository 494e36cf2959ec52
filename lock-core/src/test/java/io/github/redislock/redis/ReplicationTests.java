package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.JedisClients;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A lock is acquired only when replicas have it.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-6")
@Tag("promise-per-deployment")
class ReplicationTests {

	private static final LockTarget JOB = LockTarget.of("job");

	private static final LockTarget SEVERAL = LockTarget.allOf(JOB, LockTarget.of("another"));

	private static final String KEY = FaultyNetwork.key("job");

	private static final String ANOTHER_KEY = FaultyNetwork.key("another");

	private static final LockOptions ONCE = LockOptions.options().timeout(Duration.ofMinutes(1)).retry(0);

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofMinutes(1))
		.waitTime(Duration.ofMinutes(1));

	private RedisProcess master;

	private RedisProcess replica;

	@BeforeEach
	void replicate() {
		this.master = RedisProcess.start();
		this.replica = RedisProcess.start("replicaof 127.0.0.1 " + this.master.port());
		awaitReplica();
	}

	@AfterEach
	void close() {
		this.replica.thaw();
		this.replica.close();
		this.master.close();
	}

	@ParameterizedTest
	@MethodSource("ways")
	void replicatedLockIsAcquired(Way way) {
		try (RedisLockTemplate locks = template(way, 1)) {
			try (LockHandle lock = locks.acquire(JOB, PATIENT)) {
				assertThat(ownerAtReplica(KEY)).isEqualTo(lock.owner());

				lock.renew(Duration.ofMinutes(30));

				assertThat((Long) this.replica.command("PTTL", KEY)).isGreaterThan(Duration.ofMinutes(29).toMillis());
			}
			try (LockHandle several = locks.acquire(SEVERAL, PATIENT)) {
				assertThat(List.of(ownerAtReplica(KEY), ownerAtReplica(ANOTHER_KEY))).containsOnly(several.owner());
			}
		}
	}

	@ParameterizedTest
	@MethodSource("ways")
	void unreplicatedLockIsNotAcquiredAndIsWithdrawn(Way way) {
		try (RedisLockTemplate locks = template(way, 1)) {
			locks.acquire(LockTarget.of("warm-up"), PATIENT).close();
			this.replica.freeze();

			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.acquire(JOB, ONCE))
				.withMessage("Lock 'job': acquire failed: only 0 replicas acknowledged it within 1s"
						+ ", but redis-lock.replication.min-acks is 1")
				.satisfies((failure) -> assertThat(failure.isRetryable()).isTrue());
			awaitWithdrawal();
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.acquire(SEVERAL, ONCE))
				.withMessageContaining("only 0 replicas acknowledged it");
			awaitWithdrawal();

			this.replica.thaw();
			locks.acquire(JOB, PATIENT).close();
		}
	}

	/**
	 * The subscription is not on the connections whose writes are acknowledged.
	 */
	@Test
	void brokenSubscriptionDoesNotAffectTheAcknowledgement() {
		try (RedisLockTemplate locks = template(Way.OWN_CONNECTION, 1);
				RedisLockTemplate others = template(Way.OWN_CONNECTION, 0)) {
			LockHandle held = others.acquire(LockTarget.of("listen"), PATIENT);
			CompletableFuture<LockHandle> listening = CompletableFuture
				.supplyAsync(() -> locks.acquire(LockTarget.of("listen"), PATIENT), OwnThread::run);
			Awaitility.await().until(() -> others.inspect(LockTarget.of("listen")).orElseThrow().waiters() == 1);
			awaitSubscriptions(2);
			held.release();
			listening.join().detach();
			this.replica.freeze();
			CompletableFuture<LockHandle> refused = CompletableFuture.supplyAsync(() -> locks.acquire(JOB, ONCE),
					OwnThread::run);
			awaitKey();

			assertThat((Long) this.master.command("CLIENT", "KILL", "TYPE", "pubsub")).isPositive();

			assertThatExceptionOfType(CompletionException.class).isThrownBy(refused::join)
				.withMessageContaining("only 0 replicas acknowledged it");
			this.replica.thaw();
		}
	}

	/**
	 * The next renewal would be minutes later.
	 */
	@Test
	void holderLosesAForceReleasedLockBeforeItsNextRenewal() {
		try (RedisLockTemplate locks = template(Way.OWN_CONNECTION, 1);
				RedisLockTemplate operator = template(Way.OWN_CONNECTION, 0)) {
			LockHandle lock = locks.acquire(JOB, PATIENT.timeout(Duration.ofMinutes(10)));
			CompletableFuture<Void> lost = new CompletableFuture<>();
			lock.onLost(() -> lost.complete(null));
			awaitSubscriptions(1);

			assertThat(operator.forceRelease(JOB)).isTrue();

			assertThat(lost).succeedsWithin(Duration.ofSeconds(20));
		}
	}

	@ParameterizedTest
	@MethodSource("ways")
	void lockIsNotAcquiredIfTheConnectionBreaksBeforeItIsAcknowledged(Way way) {
		try (RedisLockTemplate locks = template(way, 1)) {
			locks.acquire(LockTarget.of("warm-up"), PATIENT).close();
			this.replica.freeze();
			CompletableFuture<LockHandle> refused = CompletableFuture.supplyAsync(() -> locks.acquire(JOB, ONCE),
					OwnThread::run);
			awaitKey();

			assertThat((Long) this.master.command("CLIENT", "KILL", "TYPE", "normal")).isPositive();

			assertThatExceptionOfType(CompletionException.class).isThrownBy(refused::join)
				.withCauseInstanceOf(LockStoreException.class);
			awaitWithdrawal();
		}
	}

	@ParameterizedTest
	@MethodSource("ways")
	void unreplicatedRenewalFails(Way way) {
		try (RedisLockTemplate locks = template(way, 1)) {
			LockHandle lock = locks.acquire(JOB, PATIENT.autoRenew(false));
			this.replica.kill();
			awaitReplicas(0);

			assertThatExceptionOfType(LockStoreException.class).isThrownBy(lock::renew)
				.withMessageContaining("only 0 replicas acknowledged it");
			this.replica.restart();
			awaitReplica();
			lock.renew();
		}
	}

	@ParameterizedTest
	@MethodSource("ways")
	void handedOverLockIsHeldOnlyOnceItIsReplicated(Way way) {
		try (RedisLockTemplate one = template(way, 1); RedisLockTemplate other = template(way, 1)) {
			LockHandle held = one.acquire(JOB, PATIENT);
			CompletableFuture<LockHandle> waiter = CompletableFuture.supplyAsync(() -> other.acquire(JOB, PATIENT),
					OwnThread::run);
			Awaitility.await().until(() -> one.inspect(JOB).orElseThrow().waiters() == 1);
			this.replica.freeze();

			held.close();

			Awaitility.await()
				.until(() -> !held.owner().equals(FaultyNetwork.ownerIn(this.master.command("GET", KEY))));
			Awaitility.await().during(Duration.ofMillis(500)).until(() -> !waiter.isDone());
			this.replica.thaw();
			assertThat(waiter.join().isHeld()).isTrue();
			assertThat(ownerAtReplica(KEY)).isEqualTo(waiter.join().owner());
		}
	}

	@Test
	void manyUnacknowledgedLocksNeedFewWaitCommands() {
		try (RedisLockTemplate locks = template(Way.OWN_CONNECTION, 1)) {
			locks.acquire(LockTarget.of("warm-up"), PATIENT).close();
			this.master.command("CONFIG", "RESETSTAT");
			this.replica.freeze();

			List<CompletableFuture<Object>> callers = IntStream.range(0, 16)
				.mapToObj((i) -> locks.async()
					.acquire(LockTarget.of("job-" + i), ONCE)
					.<Object>handle((lock, failure) -> (failure != null) ? failure : lock))
				.toList();

			assertThat(callers)
				.allSatisfy((caller) -> assertThat(caller.join()).isInstanceOf(LockStoreException.class));
			assertThat(this.master.commandCounts().get("wait")).isLessThan(8);
		}
	}

	@Test
	void callersDoNotWaitForReplicasByDefault() {
		try (RedisLockTemplate locks = template(Way.OWN_CONNECTION, 0)) {
			locks.acquire(JOB, PATIENT).close();
		}

		assertThat(this.master.commandCounts()).doesNotContainKey("wait");
	}

	static Stream<Way> ways() {
		return Effort.cases(Way.values());
	}

	private Object ownerAtReplica(String key) {
		return FaultyNetwork.ownerIn(this.replica.command("GET", key));
	}

	private void awaitReplica() {
		awaitReplicas(1);
	}

	private void awaitReplicas(int count) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> String.valueOf(this.master.command("INFO", "replication"))
				.contains((count > 0) ? "state=online" : "connected_slaves:0"));
	}

	private void awaitWithdrawal() {
		Awaitility.await("taken back")
			.until(() -> Long.valueOf(0).equals(this.master.command("EXISTS", KEY, ANOTHER_KEY)));
	}

	/**
	 * The key exists for a second only.
	 */
	private void awaitKey() {
		Awaitility.await().pollInterval(Duration.ofMillis(10)).until(() -> this.master.command("GET", KEY) != null);
	}

	private void awaitSubscriptions(int count) {
		Awaitility.await("subscribed")
			.atMost(Duration.ofSeconds(20))
			.until(() -> String.valueOf(this.master.command("PUBSUB", "NUMSUB", "distributed_lock:inbox:all"))
				.contains(", " + count + "]"));
	}

	private RedisLockTemplate template(Way way, int acks) {
		return new RedisLockTemplate(
				RedisLockStore.create(way.to(this.master),
						RedisLockStoreOptions.defaults().commandTimeout(Duration.ofSeconds(4)).minAcks(acks)),
				LockConfiguration.defaults());
	}

	enum Way {

		OWN_CONNECTION {
			@Override
			RedisConnectionFactory to(RedisProcess redis) {
				return redis.connectionFactory();
			}
		},

		FOREIGN_LETTUCE {
			@Override
			RedisConnectionFactory to(RedisProcess redis) {
				return Route.FOREIGN_FACTORY.over(redis.connectionFactory());
			}
		},

		JEDIS {
			@Override
			RedisConnectionFactory to(RedisProcess redis) {
				return JedisClients.connectTo(new RedisStandaloneConfiguration("127.0.0.1", redis.port()), 8);
			}
		};

		abstract RedisConnectionFactory to(RedisProcess redis);

	}

}
