package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.github.redislock.HeldLock;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.SentinelGroup;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Sentinels promote a replica.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-per-deployment")
class SentinelFailoverTests {

	private static final LockTarget JOB = LockTarget.of("job");

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	/** Longer than a failover takes on a busy machine. */
	private static final Duration LEASE = Duration.ofSeconds(40);

	private static final LockOptions PATIENT = LockOptions.options().timeout(LEASE).waitTime(PATIENCE);

	private static final LockOptions ONCE = PATIENT.waitTime(Duration.ZERO);

	private static final String KEY = FaultyNetwork.key("job");

	private final Losses losses = new Losses();

	private final List<RedisLockTemplate> templates = new CopyOnWriteArrayList<>();

	private SentinelGroup group;

	private RedisProcess master;

	@BeforeEach
	void start() {
		this.group = SentinelGroup.start();
		this.master = this.group.master();
	}

	@AfterEach
	void stop() {
		this.group.servers().stream().filter(RedisProcess::isAlive).forEach(RedisProcess::thaw);
		this.templates.forEach(RedisLockTemplate::close);
		this.group.close();
	}

	@ParameterizedTest
	@MethodSource("troublesAndAcks")
	void lockSurvivesTheLossOfItsMaster(Trouble trouble, int acks) {
		RedisLockTemplate locks = template(acks);
		RedisLockTemplate others = template(acks);
		LockHandle lock = locks.acquire(JOB, PATIENT);
		awaitReplicated(lock);

		trouble.begin(this.master);
		RedisProcess promoted = this.group.awaitMasterOtherThan(this.master);

		renewAt(promoted, lock);
		assertThat(lock.isHeld()).isTrue();
		await("known to others").until(() -> others.isLocked(JOB));
		assertThat(others.tryAcquire(JOB, ONCE)).isNull();
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
		others.acquire(JOB, PATIENT).close();
		assertThat(this.losses.all).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("troubles")
	void waiterIsServedByTheNewMaster(Trouble trouble) {
		RedisLockTemplate locks = template(0);
		LockHandle lock = locks.acquire(JOB, PATIENT);
		awaitReplicated(lock);
		CompletableFuture<LockHandle> waiter = acquire(template(0));
		await("waiter").until(() -> locks.inspect(JOB).orElseThrow().waiters() == 1);

		trouble.begin(this.master);
		CompletableFuture<LockHandle> late = acquire(template(0));
		this.group.awaitMasterOtherThan(this.master);

		assertThat(lock.release()).isIn(ReleaseOutcome.RELEASED, ReleaseOutcome.UNKNOWN);
		CompletableFuture<?> served = CompletableFuture.allOf(waiter.thenAccept(LockHandle::close),
				late.thenAccept(LockHandle::close));
		assertThat(served).succeedsWithin(PATIENCE);
	}

	/**
	 * The old master serves its connections until the sentinels demote it; then they are
	 * closed.
	 */
	@ParameterizedTest
	@MethodSource("noneOrAll")
	@Tag("thorough")
	void lockSurvivesAPlannedFailover(int acks) {
		RedisLockTemplate locks = template(acks);
		LockHandle lock = locks.acquire(JOB, PATIENT);
		awaitReplicated(lock);

		RedisProcess promoted = this.group.failOver();
		this.group.awaitHealthy();

		renewAt(promoted, lock);
		assertThat(lock.isHeld()).isTrue();
		assertThat(template(acks).tryAcquire(JOB, ONCE)).isNull();
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.losses.all).isEmpty();
	}

	/**
	 * The case that {@code min-acks} prevents, and the reason why it must count every
	 * replica that may be promoted. A lock that the promoted replica does not have is
	 * granted again, and the first holder detects that only at the next renewal.
	 */
	@ParameterizedTest
	@MethodSource("tooFew")
	@Tag("thorough")
	void tooFewAcknowledgementsAllowTwoHoldersUntilTheNextRenewal(int acks) {
		RedisProcess deaf = this.group.replicas().get(0);
		RedisProcess other = this.group.replicas().get(1);
		RedisLockTemplate locks = template(acks);
		locks.acquire(LockTarget.of("warm-up"), PATIENT).close();
		cutOff(deaf, other);
		LockHandle first = locks.acquire(JOB, PATIENT);
		first.detach();

		this.master.kill();
		other.kill();
		deaf.thaw();
		assertThat(this.group.awaitMasterOtherThan(this.master)).isSameAs(deaf);
		LockHandle second = template(0).acquire(JOB, PATIENT);

		assertThat(first.isHeld()).isTrue();
		assertThat(second.isHeld()).isTrue();
		assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
		// The holder itself detects the loss a little earlier than its listeners.
		await("loss").until(() -> this.losses.all.size() == 1);
		assertThat(first.isHeld()).isFalse();
		assertThat(first.verify()).isFalse();
		assertThat(second.verify()).isTrue();
	}

	@Test
	void lockMissedByOneReplicaIsNotGrantedIfAllMustAcknowledge() {
		RedisLockTemplate locks = template(2);
		locks.acquire(LockTarget.of("warm-up"), PATIENT).close();
		RedisProcess deaf = this.group.replicas().get(0);
		cutOff(deaf, this.group.replicas().get(1));

		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.acquire(JOB, ONCE))
			.withMessageContaining("only 1 replicas acknowledged it");

		this.master.kill();
		deaf.thaw();
		this.group.awaitMasterOtherThan(this.master);
		try (LockHandle second = template(0).acquire(JOB, PATIENT)) {
			assertThat(second.isHeld()).isTrue();
		}
	}

	static Stream<Arguments> troublesAndAcks() {
		return Effort.cases(Arguments.of(Trouble.CRASH, 1), Arguments.of(Trouble.FREEZE, 0));
	}

	static Stream<Trouble> troubles() {
		return Effort.cases(Trouble.FREEZE, Trouble.CRASH);
	}

	static Stream<Integer> noneOrAll() {
		return Effort.cases(0, 2);
	}

	static Stream<Integer> tooFew() {
		return Effort.cases(1, 0);
	}

	private static void renewAt(RedisProcess promoted, LockHandle lock) {
		await("renewed at the new master").until(() -> {
			lock.renew(Duration.ofMinutes(1));
			return (Long) promoted.command("PTTL", KEY) > 50_000;
		});
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

	private CompletableFuture<LockHandle> acquire(RedisLockTemplate template) {
		return CompletableFuture.supplyAsync(() -> {
			LockHandle lock = template.acquire(JOB, PATIENT);
			// This thread ends before the test continues with the lock.
			lock.detach();
			return lock;
		}, OwnThread::run);
	}

	private void awaitReplicated(LockHandle lock) {
		await("replicated").until(() -> this.group.replicas()
			.stream()
			.allMatch((replica) -> lock.owner().equals(FaultyNetwork.ownerIn(replica.command("GET", KEY)))));
	}

	private RedisLockTemplate template(int acks) {
		RedisLockTemplate locks = new RedisLockTemplate(
				RedisLockStore.create(this.group.connectionFactory(), RedisLockStoreOptions.defaults().minAcks(acks)),
				LockConfiguration.defaults().listeners(List.of(this.losses)));
		this.templates.add(locks);
		return locks;
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
