package io.github.redislock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.FaultProxy.Cut;
import io.github.redislock.testing.NeedsRedisServer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Redis has granted the lock, or will grant it, but the reply does not reach the caller.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-5")
@Tag("promise-what-a-failure-may-leave")
class LostReplyTests {

	private static final LockTarget JOB = LockTarget.of("job");

	/** For tests that wait until it is over. */
	private static final Duration SHORT_TIMEOUT = Duration.ofMillis(500);

	/** For tests in which a late reply must not be mistaken for a lost one. */
	private static final Duration LONG_TIMEOUT = Duration.ofSeconds(5);

	private static final Duration SOON = Duration.ofSeconds(10);

	private static final LockOptions ONCE = LockOptions.options().retry(0);

	@AutoClose
	private FaultyNetwork network;

	@ParameterizedTest
	@MethodSource("cuts")
	void waitingCallerReceivesAGrantWhoseReplyWasLost(Route route, Cut cut) {
		open(route, LONG_TIMEOUT);
		CompletableFuture<Long> tokenAtTheCut = this.network.proxy.cutBeforeReplyTo("job", cut)
			.thenApply((sprung) -> this.network.token("job"));

		LockHandle lock = this.network.locks.tryAcquire(JOB, LockOptions.options().waitTime(SOON));

		assertThat(tokenAtTheCut).isCompleted();
		assertThat(lock).as("the lock, which Redis granted").isNotNull();
		assertThat(lock.isHeld()).isTrue();
		assertThat(this.network.owner("job")).isEqualTo(lock.owner());
		assertThat(this.network.token("job")).isEqualTo(tokenAtTheCut.join()).isEqualTo(lock.fencingToken());
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
		this.network.awaitFree("job", SOON);
		assertThat(this.network.keysWithoutExpiry()).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("cutsThatAreNotRepeated")
	void callerThatDoesNotWaitGetsAnUnknownOutcomeAndLeavesNoLockHeld(Route route, Cut cut) {
		open(route, LONG_TIMEOUT);
		CompletableFuture<?> ownerAtTheCut = this.network.proxy.cutBeforeReplyTo("job", cut)
			.thenApply((sprung) -> this.network.owner("job"));

		LockStoreException failure = failure(() -> this.network.locks.tryAcquire(JOB, ONCE));

		assertThat(ownerAtTheCut.join()).isNotNull();
		assertThat(failure.isOutcomeUnknown()).isTrue();
		assertThat(failure.getLockName()).isEqualTo("job");
		this.network.awaitFree("job", SOON);
		assertThat(this.network.keysWithoutExpiry()).isEmpty();
	}

	@Test
	void commandRepeatedByTheClientReturnsTheSameGrant() {
		open(Route.FOREIGN_FACTORY, LONG_TIMEOUT);
		CompletableFuture<Long> tokenAtTheCut = this.network.proxy.cutBeforeReplyTo("job", Cut.FIN)
			.thenApply((sprung) -> this.network.token("job"));

		LockHandle lock = this.network.locks.tryAcquire(JOB, ONCE);

		assertThat(lock).as("the lock, which Redis granted").isNotNull();
		assertThat(tokenAtTheCut.join()).isEqualTo(lock.fencingToken());
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
		this.network.awaitFree("job", SOON);
	}

	@ParameterizedTest
	@MethodSource("cuts")
	void releaseWithALostReplyFreesTheLockAndReportsNoLoss(Route route, Cut cut) {
		open(route, LONG_TIMEOUT);
		LockHandle lock = this.network.locks.acquire(JOB);
		CompletableFuture<?> ownerAtTheCut = this.network.proxy.cutBeforeReplyTo("job", cut)
			.thenApply((sprung) -> String.valueOf(this.network.owner("job")));

		ReleaseOutcome outcome = lock.release();

		assertThat(ownerAtTheCut.join()).isEqualTo("null");
		assertThat(outcome).isIn(ReleaseOutcome.RELEASED, ReleaseOutcome.UNKNOWN);
		this.network.awaitFree("job", SOON);
	}

	@ParameterizedTest
	@MethodSource("cutsThatAreNotRepeated")
	void renewalWithALostReplyDoesNotCountAndDoesNotLoseTheLock(Route route, Cut cut) {
		open(route, LONG_TIMEOUT);
		LockHandle lock = this.network.locks.acquire(JOB);
		CompletableFuture<Object> lifeAtTheCut = this.network.proxy.cutBeforeReplyTo("job", cut)
			.thenApply((sprung) -> this.network.redis.command("PTTL", FaultyNetwork.key("job")));

		LockStoreException failure = failure(() -> lock.renew(Duration.ofMinutes(10)));

		assertThat((Long) lifeAtTheCut.join()).as("Redis has renewed it").isGreaterThan(60_000);
		assertThat(failure.isOutcomeUnknown()).isTrue();
		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.remaining()).isLessThan(Duration.ofMinutes(1));
		Awaitility.await("a new connection").atMost(SOON).ignoreExceptions().until(lock::verify);
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
		this.network.awaitFree("job", SOON);
	}

	@ParameterizedTest
	@MethodSource("cuts")
	void undeliveredGrantIsWithdrawnThroughANewConnection(Route route, Cut cut) {
		open(route, SHORT_TIMEOUT);
		this.network.proxy.refuse();
		this.network.proxy.holdRequests();
		this.network.proxy.holdReplies();
		failure(() -> this.network.locks.tryAcquire(JOB, ONCE.waitTime(Duration.ofSeconds(1))));

		this.network.proxy.cutClients(cut);
		this.network.proxy.flow();

		this.network.awaitFree("job", SOON);
		this.network.locks.acquire(JOB, LockOptions.options().waitTime(SOON)).close();
	}

	static Stream<Arguments> cuts() {
		return Stream.concat(cutsThatAreNotRepeated(), Stream.of(Arguments.of(Route.FOREIGN_FACTORY, Cut.FIN)))
			.limit(Effort.of(2, 4));
	}

	/**
	 * Return the cuts after which no client repeats a command by itself.
	 */
	static Stream<Arguments> cutsThatAreNotRepeated() {
		return Stream
			.of(Arguments.of(Route.OWN_CONNECTION, Cut.FIN), Arguments.of(Route.FOREIGN_FACTORY, Cut.RST),
					Arguments.of(Route.OWN_CONNECTION, Cut.RST))
			.limit(Effort.of(2, 3));
	}

	private void open(Route route, Duration commandTimeout) {
		this.network = new FaultyNetwork(route, commandTimeout);
	}

	private static LockStoreException failure(ThrowingCallable call) {
		return catchThrowableOfType(LockStoreException.class, call);
	}

}
