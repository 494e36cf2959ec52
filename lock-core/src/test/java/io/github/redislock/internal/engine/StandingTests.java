package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table in {@link Standing}, cell by cell: the standing after each event, who is told
 * and what is sent.
 */
@Tag("promise-2")
class StandingTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final LockTarget TARGET = LockTarget.of("order:42");

	private final ManualLockTimer timer = new ManualLockTimer();

	private final JumpDetectingTimer watched = new JumpDetectingTimer(this.timer);

	private final ScriptedStore store = new ScriptedStore();

	private final RecordingListener listener = new RecordingListener();

	private final List<String> told = new ArrayList<>();

	private final Tenure tenure = tenure();

	private final Hold hold = hold();

	@ParameterizedTest(name = "{0}, {1}: {2}, told: {3}, sent: {4}")
	@CsvSource(nullValues = "-", textBlock = """
			SURE,     MESSAGE,   UNSURE,   -,                           inspect
			SURE,     CONFIRMED, SURE,     -,                           -
			SURE,     REFUSED,   LOST,     queue + action + lost,       -
			SURE,     OVER,      LOST,     queue + action + lost,       -
			SURE,     CLOSED,    RELEASED, queue + action + lost + released NOT_HELD, release
			SURE,     RELEASED,  RELEASED, -,                           release

			UNSURE,   MESSAGE,   UNSURE,   -,                           inspect
			UNSURE,   CONFIRMED, SURE,     -,                           -
			UNSURE,   REFUSED,   LOST,     queue + action + lost,       -
			UNSURE,   OVER,      LOST,     queue + action + lost,       inspect
			UNSURE,   CLOSED,    RELEASED, queue + action + lost + released NOT_HELD, release
			UNSURE,   RELEASED,  RELEASED, -,                           release

			LOST,     MESSAGE,   LOST,     -,                           -
			LOST,     CONFIRMED, LOST,     -,                           -
			LOST,     REFUSED,   LOST,     -,                           -
			LOST,     OVER,      LOST,     -,                           -
			LOST,     CLOSED,    RELEASED, released NOT_HELD,           release
			LOST,     RELEASED,  RELEASED, released NOT_HELD,           release

			RELEASED, MESSAGE,   RELEASED, -,                           -
			RELEASED, CONFIRMED, RELEASED, -,                           -
			RELEASED, REFUSED,   RELEASED, -,                           -
			RELEASED, OVER,      RELEASED, -,                           -
			RELEASED, CLOSED,    RELEASED, -,                           -
			RELEASED, RELEASED,  RELEASED, -,                           -
			""")
	void eventLeadsToAStanding(Standing before, Event event, Standing after, @Nullable String told,
			@Nullable String sent) {
		bring(before);
		assertThat(this.hold.standing()).isEqualTo(before);
		this.told.clear();
		this.listener.events.clear();
		this.store.log.clear();

		apply(event);
		// A release waits that long for a pending question.
		this.timer.advance(Duration.ofMillis(100));

		assertThat(this.hold.standing()).isEqualTo(after);
		this.told.addAll(this.listener.events);
		assertThat(this.told).isEqualTo((told != null) ? List.of(told.split(" \\+ ")) : List.of());
		assertThat(this.store.log).isEqualTo((sent != null) ? List.of(sent) : List.of());
	}

	private void bring(Standing standing) {
		switch (standing) {
			case SURE -> {
			}
			case UNSURE -> apply(Event.MESSAGE);
			case LOST -> apply(Event.REFUSED);
			case RELEASED -> apply(Event.RELEASED);
		}
	}

	private void apply(Event event) {
		switch (event) {
			case MESSAGE -> this.tenure.takenByForce();
			case CONFIRMED ->
				reply(Optional.of(LockState.of(TARGET.name(), this.hold.owner(), LEASE, 7L, null, 0L, true, 1)));
			case REFUSED -> reply(Optional.empty());
			case OVER -> this.timer.advance(LEASE);
			case CLOSED -> this.hold.releaseAtShutdown();
			case RELEASED -> this.hold.release();
		}
	}

	/**
	 * Ask the store whether the lock is ours, and answer that and earlier questions.
	 */
	private void reply(Optional<LockState> state) {
		this.tenure.verify();
		this.store.inspects.forEach((question) -> question.reply(state));
		this.store.log.clear();
	}

	private Tenure tenure() {
		EngineStore engineStore = new EngineStore(this.store, null, this.watched);
		AcquireSettings settings = settings();
		AcquireRequest request = new AcquireRequest(TARGET, "me/secret", "request-1",
				engineStore.timeToLive(LEASE, Duration.ZERO));
		Grant grant = new Grant(request, settings, new Lease(this.watched, settings, this.timer.nanoTime()), 7, false,
				false, HandOverKind.NONE, 0, null);
		StoreMessages messages = EngineCalls.messages();
		return new Tenure(engineStore, this.watched, messages, new Renewer(this.watched, engineStore),
				Duration.ofMillis(20), new Queue(), grant);
	}

	private Hold hold() {
		Hold begun = this.tenure.begin(settings(), new HoldMonitor(null, Duration.ZERO), this.listener, Runnable::run);
		begun.whenLost(null, () -> this.told.add("action"));
		begun.watch(() -> {
		});
		return begun;
	}

	private static AcquireSettings settings() {
		return AcquireSettings.of(LockOptions.options().timeout(LEASE).autoRenew(false), LockOptions.defaults(), null);
	}

	/**
	 * The events of the table.
	 */
	private enum Event {

		MESSAGE, CONFIRMED, REFUSED, OVER, CLOSED, RELEASED

	}

	/**
	 * Tells when it is told of a loss.
	 */
	private final class Queue implements Tenure.Listener {

		@Override
		public void execute(Runnable step) {
			step.run();
		}

		@Override
		public void release(Tenure tenure) {
			tenure.release();
		}

		@Override
		public void lost(Tenure tenure) {
			StandingTests.this.told.add("queue");
		}

	}

}
