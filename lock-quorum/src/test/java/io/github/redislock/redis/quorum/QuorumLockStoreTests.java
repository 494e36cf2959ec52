package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;

import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.RenewRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the store remembers, repeats and closes, with three servers that reply when the
 * test says so.
 */
@Tag("promise-quorum")
class QuorumLockStoreTests {

	private static final AcquireRequest REQUEST = new AcquireRequest(ScriptedServer.TARGET, "me", "1",
			Duration.ofMinutes(1));

	private static final LockKeyConflictException CONFLICT = new LockKeyConflictException(ScriptedServer.TARGET, "key",
			"another type", null);

	private final ManualLockTimer clock = new ManualLockTimer();

	private final List<ManualExecutor> executors = new ArrayList<>();

	private final ScriptedServer a = new ScriptedServer("a");

	private final ScriptedServer b = new ScriptedServer("b");

	private final ScriptedServer c = new ScriptedServer("c");

	private final List<ScriptedServer> servers = List.of(this.a, this.b, this.c);

	private final QuorumLockStore store = store(this.servers);

	// remember and forget

	@Test
	void releaseForgetsARequestOnceItsPossibleGrantIsWithdrawn() {
		CompletableFuture<AcquireReply> reply = this.store.acquire(REQUEST).toCompletableFuture();
		this.a.grants(9);
		this.b.grants(9);
		this.c.fails(true);
		assertThat(reply).isCompletedWithValue(new AcquireReply.Granted(9));

		CompletableFuture<Boolean> released = this.store.release(REQUEST, Duration.ZERO).toCompletableFuture();
		this.servers.forEach((server) -> server.replies(true));

		assertThat(released).isCompletedWithValue(true);
		assertThat(this.store.openRequests()).isOne();
		assertThat(this.a.requests()).containsExactly("acquire 1", "release 1");
		assertThat(this.c.requests()).containsExactly("acquire 1", "release 1", "withdraw 1 and remember");
		this.c.replies(null);
		assertThat(this.store.openRequests()).isZero();
	}

	@Test
	void releaseForgetsARequestThatWasGrantedUnderANewNumber() {
		this.store.acquire(REQUEST);
		this.a.fails(true);
		this.b.refuses("zoe");
		this.c.refuses("zoe");
		this.a.replies(null);
		CompletableFuture<AcquireReply> reply = this.store.acquire(REQUEST).toCompletableFuture();
		this.servers.forEach((server) -> server.grants(9));
		this.servers.forEach((server) -> server.replies(true));
		assertThat(reply).isCompletedWithValue(new AcquireReply.Granted(9));
		assertThat(this.a.requests()).containsExactly("acquire 1", "withdraw 1 and remember", "acquire 1.1",
				"raise 1.1 from 9 to 9");
		assertThat(this.store.openRequests()).isOne();

		this.store.release(REQUEST, Duration.ZERO);
		this.servers.forEach((server) -> server.replies(true));

		assertThat(this.store.openRequests()).isZero();
	}

	@Test
	void withdrawalForgetsARequest() {
		this.store.acquire(REQUEST);
		this.a.grants(9);
		this.b.fails(false);
		this.c.fails(false);
		assertThat(this.store.openRequests()).isOne();

		CompletionStage<Void> withdrawn = this.store.withdraw(REQUEST, Duration.ZERO, true);
		this.a.replies(null);
		assertThat(withdrawn).isNotDone();
		this.b.replies(null);

		assertThat(withdrawn).isCompleted();
		assertThat(this.store.openRequests()).isZero();
	}

	@Test
	void withdrawalNamesAllAttemptsOnWhichAServerMayStillAct() {
		for (int attempt = 0; attempt < 3; attempt++) {
			this.store.acquire(REQUEST);
			this.a.fails(true);
			this.b.refuses("zoe");
			this.c.refuses("zoe");
		}

		this.store.withdraw(REQUEST, Duration.ZERO, true);

		assertThat(this.a.requests()).endsWith("acquire 1.2", "withdraw 1.2 and remember", "withdraw 1 and remember",
				"withdraw 1.1 and remember", "withdraw 1.2 and remember");
	}

	@Test
	void repeatedAttemptReplacesOneThatMayHoldTheLock() {
		this.store.acquire(REQUEST);
		this.a.fails(true);
		this.b.grants(8);
		this.c.fails(false);
		CompletionStage<AcquireReply> reply = this.store.acquire(REQUEST);
		Stream.of(this.a, this.b).forEach((server) -> server.grants(9));
		this.c.refuses("zoe");
		assertThat(reply).isCompletedWithValue(new AcquireReply.Granted(9));

		this.store.release(REQUEST, Duration.ZERO);
		this.servers.forEach((server) -> server.replies(true));
		Stream.of(this.a, this.b).forEach((server) -> server.replies(null));

		assertThat(this.a.requests()).containsExactly("acquire 1", "acquire 1", "release 1", "withdraw 1 and remember");
		assertThat(this.b.requests()).isEqualTo(this.a.requests());
		assertThat(this.c.requests()).containsExactly("acquire 1", "acquire 1", "release 1");
		assertThat(this.store.openRequests()).isZero();
	}

	@Test
	void requestIsForgottenHalfAMinuteAfterItsLease() {
		acquire("1");
		this.clock.advance(Duration.ofSeconds(90));
		assertThat(acquire("2")).isEqualTo(2);
		this.clock.advance(Duration.ofMillis(500));
		assertThat(acquire("3")).as("tidied at most once a second").isEqualTo(3);

		this.clock.advance(Duration.ofMillis(500));

		assertThat(acquire("4")).isEqualTo(3);
	}

	// renew, inspect, force

	@ParameterizedTest
	@CsvSource({ "PT1M, renew", ", verify" })
	void failureOfARenewalNamesTheOperation(@Nullable Duration timeToLive, String operation) {
		CompletionStage<Boolean> reply = renew(this.store, timeToLive);

		this.servers.forEach((server) -> server.fails(true));

		assertThat(failure(reply))
			.hasMessageStartingWith("Lock 'order:42': " + operation + " failed: 0 of 3 Redis nodes replied");
	}

	@Test
	void renewalFailsWithTheConflictOfAServerIfTheOthersDisagree() {
		CompletionStage<Boolean> reply = renew(this.store, Duration.ofMinutes(1));
		this.a.replies(true);
		this.b.replies(false);
		assertThat(reply).isNotDone();

		this.c.fails(CONFLICT);

		assertThat(failure(reply)).isSameAs(CONFLICT);
	}

	@Test
	void conflictOfOneServerIsNoReasonIfTheOthersDoNotReply() {
		CompletionStage<Boolean> reply = renew(this.store, Duration.ofMinutes(1));
		this.a.fails(CONFLICT);
		this.b.replies(true);
		this.c.fails(true);

		assertThat(failure(reply)).isInstanceOf(LockStoreException.class);
	}

	@Test
	void renewalNeedsOnlyTheServersToWhichItCanBeSent() {
		CompletionStage<Boolean> reply = renew(store(List.of(this.a, this.b, new Unreachable())),
				Duration.ofMinutes(1));

		this.a.replies(true);
		this.b.replies(true);

		assertThat(reply).isCompletedWithValue(true);
	}

	@Test
	void inspectionWaitsForAServerThatMayKnowALongerLease() {
		CompletableFuture<Optional<LockState>> reply = this.store.inspect(ScriptedServer.TARGET).toCompletableFuture();
		this.a.replies(Optional.of(ScriptedServer.state("zoe", 9)));
		this.b.replies(Optional.of(ScriptedServer.state("zoe", 1)));
		assertThat(reply).isNotDone();

		this.c.replies(Optional.of(ScriptedServer.state("zoe", 5)));

		assertThat(reply.join()).map(LockState::freeIn).contains(Duration.ofSeconds(5));
	}

	@ParameterizedTest
	@CsvSource({ "true, true, , true", "false, false, , false", "true, false, false, false", "true, false, fails, true",
			"true, fails, fails, fails", "false, fails, fails, fails" })
	void oneServerIsEnoughToTakeALockOnlyIfNoMajorityDecides(String a, String b, @Nullable String c, String outcome) {
		CompletableFuture<Boolean> taken = this.store.forceRelease(ScriptedServer.TARGET, null).toCompletableFuture();

		decide(this.a, a);
		assertThat(taken).isNotDone();
		decide(this.b, b);
		decide(this.c, c);

		assertThat(taken).isDone();
		assertThat(taken.handle((took, failure) -> (failure != null) ? "fails" : took.toString()).join())
			.isEqualTo(outcome);
	}

	// repeat and close

	@Test
	void repeatedReleaseKeepsTheLockForTheRest() {
		missARelease(Duration.ofSeconds(10));

		this.clock.advance(Duration.ofSeconds(1));

		assertThat(this.c.requests()).endsWith("release 1 in PT10S", "release 1 in PT9.95S");
	}

	@Test
	void releaseIsNotRepeatedAfterTheLease() {
		missARelease(Duration.ZERO);
		this.clock.advance(Duration.ofMinutes(2));
		this.c.fails(true);

		this.clock.advance(Duration.ofSeconds(1));

		assertThat(this.c.requests()).filteredOn("release 1"::equals).hasSize(2);
	}

	@Test
	void closedStoreRepeatsNothingAndClosesItsServers() {
		missARelease(Duration.ZERO);

		this.store.close();
		this.clock.advance(Duration.ofSeconds(1));

		assertThat(this.c.requests()).filteredOn("release 1"::equals).hasSize(1);
		assertThat(this.executors).singleElement().matches(ManualExecutor::isShutdown);
		assertThat(this.servers.stream().map((server) -> server.calls("close"))).containsOnly(1);
	}

	@Test
	void storeThatIsUsedAgainRepeatsRequestsAgain() {
		this.store.listen(new Silence());
		assertThat(this.executors).hasSize(1);
		this.store.close();
		this.store.listen(new Silence());
		missARelease(Duration.ZERO);

		this.clock.advance(Duration.ofSeconds(1));

		assertThat(this.c.requests()).filteredOn("release 1"::equals).hasSize(2);
		assertThat(this.executors).hasSize(2);
	}

	private void missARelease(Duration keepFor) {
		this.store.acquire(REQUEST);
		this.servers.forEach((server) -> server.grants(9));
		this.store.release(REQUEST, keepFor);
		this.a.replies(true);
		this.b.replies(true);
		this.c.fails(true);
	}

	private int acquire(String id) {
		this.store.acquire(new AcquireRequest(ScriptedServer.TARGET, "me", id, Duration.ofMinutes(1)));
		return this.store.openRequests();
	}

	private static void decide(ScriptedServer server, @Nullable String reply) {
		if ("fails".equals(reply)) {
			server.fails(true);
		}
		else if (reply != null) {
			server.replies(Boolean.valueOf(reply));
		}
	}

	private static Throwable failure(CompletionStage<?> reply) {
		assertThat(reply).isCompletedExceptionally();
		return reply.handle((value, failure) -> failure).toCompletableFuture().join();
	}

	private static CompletionStage<Boolean> renew(QuorumLockStore store, @Nullable Duration timeToLive) {
		return store.renew(List.of(new RenewRequest(ScriptedServer.TARGET, "me", timeToLive))).get(0);
	}

	private QuorumLockStore store(List<ScriptedServer> servers) {
		List<QuorumNode> nodes = servers.stream().map(ScriptedServer::node).toList();
		return new QuorumLockStore(new Quorum(nodes, Duration.ZERO), () -> {
			ManualExecutor executor = new ManualExecutor(this.clock);
			this.executors.add(executor);
			return new QuorumPauses(executor, this.clock::nanoTime, () -> 0);
		});
	}

	/**
	 * A server to which no request can be sent.
	 */
	private static final class Unreachable extends ScriptedServer {

		Unreachable() {
			super("unreachable");
		}

		@Override
		public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
			throw new RejectedExecutionException();
		}

	}

	private static final class Silence implements HandOverListener {

		@Override
		public void handedOver(HandOver handOver) {
		}

		@Override
		public void changed() {
		}

	}

}
