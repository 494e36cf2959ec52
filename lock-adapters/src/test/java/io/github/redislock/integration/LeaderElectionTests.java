package io.github.redislock.integration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.RedisServerExtension;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Spring Integration elects a leader with the lock of the role.
 */
@ExtendWith(RedisServerExtension.class)
class LeaderElectionTests {

	private static final String ROLE = "leader:importer";

	private static final Duration LEASE = Duration.ofSeconds(5);

	private final TwoInstances instances = new TwoInstances();

	private final List<LockRegistryLeaderInitiator> candidates = new ArrayList<>();

	private final LockRegistryLeaderInitiator one = candidate(this.instances.one);

	private final LockRegistryLeaderInitiator other = candidate(this.instances.other);

	@AfterEach
	void close() throws Exception {
		for (LockRegistryLeaderInitiator candidate : this.candidates) {
			candidate.destroy();
		}
		this.instances.close();
	}

	@Test
	void oneOfTwoCandidatesBecomesAndStaysLeader() {
		this.one.start();
		this.other.start();
		await().until(() -> leaders() == 1);
		boolean first = isLeader(this.one);

		// Longer than the lease, so the lock must be renewed.
		Awaitility.await()
			.during(LEASE.plusSeconds(1))
			.atMost(Duration.ofSeconds(20))
			.until(() -> isLeader(this.one) == first && isLeader(this.other) != first);
	}

	@Test
	void otherCandidateTakesOverWhenTheLeaderStops() {
		this.one.start();
		await().until(() -> isLeader(this.one));
		this.other.start();

		this.one.stop();

		await().until(() -> isLeader(this.other));
		assertThat(isLeader(this.one)).isFalse();
	}

	@Test
	void leaderThatLostItsLockStepsDownAndMayLeadAgain() {
		this.one.start();
		await().until(() -> isLeader(this.one));

		LockHandle intruder = takeByForce();

		await().until(() -> !isLeader(this.one));
		intruder.close();
		await().until(() -> isLeader(this.one));
		this.one.stop();
		await().until(() -> !this.instances.other.isLocked(LockTarget.of(ROLE)));
	}

	/**
	 * Take the lock from its holder.
	 */
	private LockHandle takeByForce() {
		LockOptions patient = LockOptions.options().waitTime(Duration.ofSeconds(20));
		while (true) {
			this.instances.other.forceRelease(LockTarget.of(ROLE));
			LockHandle taken = this.instances.other.tryAcquire(LockTarget.of(ROLE),
					patient.waitTime(Duration.ofMillis(50)));
			if (taken != null) {
				return taken;
			}
		}
	}

	private long leaders() {
		return Stream.of(this.one, this.other).filter(LeaderElectionTests::isLeader).count();
	}

	private LockRegistryLeaderInitiator candidate(LockOperations locks) {
		DistributedLockRegistry registry = new DistributedLockRegistry(locks, "leader",
				LockOptions.options().timeout(LEASE));
		LockRegistryLeaderInitiator candidate = new LockRegistryLeaderInitiator(registry,
				new DefaultCandidate(String.valueOf(this.candidates.size()), "importer"));
		candidate.setHeartBeatMillis(100);
		candidate.setBusyWaitMillis(50);
		this.candidates.add(candidate);
		return candidate;
	}

	private static boolean isLeader(LockRegistryLeaderInitiator candidate) {
		return candidate.isRunning() && candidate.getContext().isLeader();
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(20));
	}

}
