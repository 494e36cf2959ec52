package io.github.redislock.test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.LockOptions;
import io.github.redislock.leadership.LockLeadership;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Leaders and candidates of several instances, with time that the test advances.
 */
class TestLeadershipTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private final TestLocks locks = TestLocks.withManualClock();

	private final LockLeadership first = candidate();

	private final LockLeadership second = candidate();

	private final List<String> told = new CopyOnWriteArrayList<>();

	@AfterEach
	void close() {
		this.locks.comeBack();
		this.first.stop();
		this.second.stop();
		this.locks.close();
	}

	@Test
	void leaderThatLosesItsRoleLeadsAgainInANewTerm() {
		tellOf(this.first);
		lead(this.first);
		awaitTold("granted");
		long term = this.first.term().orElseThrow();

		this.locks.loseLeadership("mailer");

		awaitTold("granted", "revoked", "granted");
		assertThat(this.first.term().orElseThrow()).isGreaterThan(term);
	}

	@Test
	void anotherProcessCanLead() {
		HeldElsewhere other = this.locks.leadElsewhere("mailer");
		this.first.start();
		Awaitility.await().until(() -> this.locks.waiters("leader:mailer") == 1);
		assertThat(this.first.isLeader()).isFalse();

		other.release();

		Awaitility.await().until(this.first::isLeader);
		assertThatIllegalStateException().isThrownBy(() -> this.locks.leadElsewhere("mailer"));
	}

	@Test
	void leaderStepsDownInAnOutageAndOneCandidateLeadsAfterwards() {
		tellOf(this.first);
		lead(this.first);
		this.second.start();
		Awaitility.await().until(() -> this.locks.waiters("leader:mailer") == 1);
		long term = this.first.term().orElseThrow();

		this.locks.goDown();
		this.locks.advance(LEASE);

		assertThat(this.first.isLeader()).isFalse();
		awaitTold("granted", "revoked");
		assertThat(this.second.isLeader()).isFalse();

		this.locks.comeBack();
		this.locks.advance(LEASE);
		Awaitility.await().until(() -> this.first.isLeader() || this.second.isLeader());
		assertThat(this.first.isLeader()).isNotEqualTo(this.second.isLeader());
		LockLeadership leader = this.first.isLeader() ? this.first : this.second;
		assertThat(leader.term().orElseThrow()).isGreaterThan(term);
	}

	@Test
	void oneCandidateLeadsAfterAReset() {
		lead(this.first);
		this.second.start();
		Awaitility.await().until(() -> this.locks.waiters("leader:mailer") == 1);

		this.locks.reset();

		Awaitility.await().until(() -> this.first.isLeader() != this.second.isLeader());
	}

	private LockLeadership candidate() {
		return new LockLeadership("mailer", this.locks.template(), LockOptions.options().timeout(LEASE));
	}

	private static void lead(LockLeadership leadership) {
		leadership.start();
		Awaitility.await().until(leadership::isLeader);
	}

	private void tellOf(LockLeadership leadership) {
		leadership.onGranted((term) -> this.told.add("granted"));
		leadership.onRevoked((term) -> this.told.add("revoked"));
	}

	private void awaitTold(String... expected) {
		Awaitility.await().untilAsserted(() -> assertThat(this.told).containsExactly(expected));
	}

}
