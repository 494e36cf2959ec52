package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireReply;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static io.github.redislock.internal.engine.ScriptedStore.last;
import static io.github.redislock.internal.engine.ScriptedStore.only;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Readers, and writers that also read. A lease of 30 s is renewed after 10 s.
 */
class SharedHoldTests {

	private final EngineCalls calls = new EngineCalls();

	private static final LockTarget WRITE = LockTarget.of("order:42");

	private static final LockTarget READ = LockTarget.of("order:42").forReading();

	private static final Duration UNTIL_RENEWAL = Duration.ofSeconds(10);

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofSeconds(30))
		.waitTime(Duration.ofHours(1));

	private final ManualLockTimer clock = new ManualLockTimer();

	private final ScriptedStore store = new ScriptedStore();

	private final RecordingListener listener = new RecordingListener();

	private final LockEngine engine = new LockEngine(this.store,
			LockConfiguration.defaults().timer(this.clock).listeners(List.of(this.listener)));

	@Test
	void lockStaysExclusiveUntilBothEntriesOfAWriterThatReadsAreReleased() {
		for (boolean writeFirst : List.of(true, false)) {
			Acquisition<BlockingHandle> first = acquire(WRITE, PATIENT);
			last(this.store.acquires).reply(new AcquireReply.Granted(7));
			BlockingHandle writer = EngineCalls.lock(first);
			BlockingHandle reader = this.calls.enterAgain(writer.hold(), READ);
			Acquisition<BlockingHandle> next = acquire(WRITE, PATIENT);

			assertThat((writeFirst ? writer : reader).release()).isEqualTo(ReleaseOutcome.RELEASED);

			assertThat(next.outcome()).isNotDone();
			assertThat((writeFirst ? reader : writer).release()).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(hold(next).isHeld()).isTrue();
			hold(next).release();
			assertThat(only(this.store.releases).target()).isEqualTo(WRITE);
			only(this.store.releases).reply(true);
			this.store.releases.clear();
		}
	}

	@Test
	void lockIsRenewedForWritingWhileAFormerWriterReads() {
		Acquisition<BlockingHandle> acquisition = acquire(WRITE, PATIENT);
		last(this.store.acquires).reply(new AcquireReply.Granted(7));
		BlockingHandle writer = EngineCalls.lock(acquisition);
		BlockingHandle reader = this.calls.enterAgain(writer.hold(), READ);
		List<String> told = new CopyOnWriteArrayList<>();
		writer.onLost(() -> told.add("writer"));
		reader.onLost(() -> told.add("reader"));
		writer.release();

		this.clock.advance(UNTIL_RENEWAL);

		assertThat(only(this.store.renews).target()).isEqualTo(WRITE);
		only(this.store.renews).reply(false);
		assertThat(reader.isHeld()).isFalse();
		assertThat(this.store.releases).isEmpty();
		Awaitility.await().untilAsserted(() -> assertThat(told).containsExactly("reader"));
		assertThat(this.listener.events).containsExactly("acquired", "lost");
	}

	@Test
	void readerIsRenewedForReading() {
		Acquisition<BlockingHandle> reader = acquire(READ, PATIENT);
		only(this.store.acquires).reply(new AcquireReply.Granted(7));

		this.clock.advance(UNTIL_RENEWAL);

		assertThat(only(this.store.renews).target()).isEqualTo(READ);
		assertThat(only(this.store.renews).owner()).isEqualTo(hold(reader).owner());
	}

	@Test
	void readerReleaseWakesALocalWriterThatTheStoreDoesNotNotify() {
		Acquisition<BlockingHandle> reader = acquire(READ, PATIENT);
		only(this.store.acquires).reply(new AcquireReply.Granted(7));
		acquire(WRITE, PATIENT);
		last(this.store.acquires).reply(new AcquireReply.Held(state("me/secret", 7), false, false));
		assertThat(this.store.acquires).hasSize(2);

		hold(reader).release();
		only(this.store.releases).reply(true);

		assertThat(this.store.acquires).hasSize(3);
		assertThat(last(this.store.acquires).target()).isEqualTo(WRITE);
	}

	@Test
	void callersOfASharedLockEachSendARequest() {
		acquire(READ, PATIENT);
		acquire(READ, PATIENT);
		acquire(LockTarget.of("order:42").permits(2), PATIENT);

		assertThat(this.store.acquires).hasSize(3);
	}

	@Test
	void limitAppliesToTheWaitersForASharedLock() {
		LockOptions one = PATIENT.maxWaiters(1);
		Acquisition<BlockingHandle> waiter = acquire(READ, one);
		Acquisition<BlockingHandle> second = acquire(READ, one);
		this.store.acquires
			.forEach((question) -> question.reply(new AcquireReply.Held(state("other/secret", 7), false, false)));

		Acquisition<BlockingHandle> third = acquire(READ, one);

		assertThat(this.store.acquires).as("the third caller is refused without a request").hasSize(2);
		assertThat(waiter.outcome()).isNotDone();
		assertThat(List.of(second, third)).allSatisfy((caller) -> assertThat(caller.outcome().getNow(null))
			.isInstanceOfSatisfying(AcquireOutcome.Refused.class, (refused) -> {
				assertThat(refused.waitingCallers()).isOne();
				assertThat(refused.holder()).isNotNull();
			}));
	}

	@Test
	void inspectionReportsTheFencingTokenOfTheCurrentWriter() {
		Acquisition<BlockingHandle> first = acquire(WRITE, PATIENT);
		Acquisition<BlockingHandle> second = acquire(WRITE, PATIENT);
		only(this.store.acquires).reply(new AcquireReply.Granted(7));
		hold(first).release();
		CompletableFuture<Optional<LockState>> state = this.engine.inspect(READ).toCompletableFuture();

		only(this.store.inspects).reply(Optional.of(state(hold(second).owner(), 7)));

		assertThat(state.join()).map(LockState::fencingToken).contains(8L);
	}

	@Test
	void inspectionReportsTheFencingTokenOfAnotherHolderAsItIs() {
		acquire(WRITE, PATIENT);
		only(this.store.acquires).reply(new AcquireReply.Granted(7));
		CompletableFuture<Optional<LockState>> state = this.engine.inspect(WRITE).toCompletableFuture();

		only(this.store.inspects).reply(Optional.of(state("other/secret", 9)));

		assertThat(state.join()).map(LockState::fencingToken).contains(9L);
	}

	private Acquisition<BlockingHandle> acquire(LockTarget target, LockOptions options) {
		return this.calls.acquire(this.engine, target, this.engine.settings(target, options));
	}

	private static LockState state(String owner, long token) {
		return LockState.of("order:42", owner, Duration.ofSeconds(30), token, null, 0L, true, 1);
	}

	private static Hold hold(Acquisition<BlockingHandle> acquisition) {
		assertThat(acquisition.outcome().getNow(null)).isInstanceOf(AcquireOutcome.Acquired.class);
		return EngineCalls.lock(acquisition).hold();
	}

}
