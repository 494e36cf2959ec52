package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.testing.FaultProxy.Cut;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A request is delayed in the network while its caller continues on another connection.
 * The request arrives at Redis long after the caller has finished.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-5")
@Tag("promise-what-a-failure-may-leave")
class LateRequestTests {

	private static final Duration SHORT_TIMEOUT = Duration.ofMillis(500);

	private static final Duration SOON = Duration.ofSeconds(20);

	private static final LockOptions PATIENT = LockOptions.options().timeout(Duration.ofSeconds(30)).waitTime(SOON);

	@AutoClose
	private FaultyNetwork network;

	@ParameterizedTest
	@EnumSource(Route.class)
	void lateAcquireDoesNotRetakeAReleasedLock(Route route) {
		LockHandle lock = acquireWhileTheFirstRequestHangs(route, PATIENT);

		assertThat(lock.release()).isIn(ReleaseOutcome.RELEASED, ReleaseOutcome.UNKNOWN);
		awaitWithdrawal();
		deliver();

		this.network.awaitFree("job", SOON);
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void lateReleaseDoesNotFreeTheLockOfTheNextHolder(Route route) {
		this.network = new FaultyNetwork(route, SHORT_TIMEOUT);
		LockHandle lock = this.network.locks.acquire(LockTarget.of("job"), PATIENT);
		this.network.proxy.holdRequests();

		assertThat(lock.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
		this.network.proxy.cutClients(Cut.RST);
		LockHandle next = this.network.locks.acquire(LockTarget.of("job"), PATIENT);
		deliver();

		assertThat(this.network.owner("job")).isEqualTo(next.owner()).isNotEqualTo(lock.owner());
		assertThat(next.verify()).isTrue();
		assertThat(next.release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void lateRenewalDoesNotReviveAReleasedLock(Route route) {
		LockHandle lock = renewWhileTheRequestHangs(route);

		assertThat(lock.release()).isIn(ReleaseOutcome.RELEASED, ReleaseOutcome.UNKNOWN);
		this.network.awaitFree("job", SOON);
		deliver();

		this.network.awaitFree("job", SOON);
		assertThat(lock.isHeld()).isFalse();
	}

	/**
	 * Return a lock that was granted to its second request. The first one is still on its
	 * way.
	 */
	private LockHandle acquireWhileTheFirstRequestHangs(Route route, LockOptions options) {
		this.network = new FaultyNetwork(route, SHORT_TIMEOUT);
		this.network.proxy.holdRequests();
		CompletableFuture<LockHandle> caller = CompletableFuture
			.supplyAsync(() -> this.network.locks.acquire(LockTarget.of("job"), options), OwnThread::run);
		Awaitility.await("the first question is given up")
			.pollDelay(SHORT_TIMEOUT.plusMillis(100))
			.until(() -> !caller.isCompletedExceptionally());
		this.network.proxy.cutClients(Cut.RST);
		return caller.join();
	}

	/**
	 * Return a lock of which a renewal for ten minutes is still on its way.
	 */
	private LockHandle renewWhileTheRequestHangs(Route route) {
		this.network = new FaultyNetwork(route, SHORT_TIMEOUT);
		LockHandle lock = this.network.locks.acquire(LockTarget.of("job"), PATIENT);
		this.network.proxy.holdRequests();
		assertThat(CompletableFuture.runAsync(() -> lock.renew(Duration.ofMinutes(10)), OwnThread::run))
			.failsWithin(SOON);
		this.network.proxy.cutClients(Cut.RST);
		return lock;
	}

	private void awaitWithdrawal() {
		Awaitility.await("withdrawal arrived")
			.until(() -> !((List<?>) this.network.redis.command("KEYS", "*job*:cancel:*")).isEmpty());
	}

	/**
	 * Let the request arrive.
	 */
	private void deliver() {
		long callsBefore = this.network.scriptCalls();
		this.network.proxy.flow();
		Awaitility.await("the request has arrived").until(() -> this.network.scriptCalls() > callsBefore);
	}

}
