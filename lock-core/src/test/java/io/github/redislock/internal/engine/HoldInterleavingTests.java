package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.Interleavings;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A {@link Hold} that is released, renewed and lost concurrently ends exactly once,
 * however the threads interleave. It is either released or lost, and all callers see the
 * same outcome.
 */
@Tag("interleaving")
@Tag("promise-1")
@Tag("promise-2")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
public class HoldInterleavingTests {

	private final ScriptedStore store = new ScriptedStore();

	private final RecordingListener listener = new RecordingListener();

	private final AtomicInteger losses = new AtomicInteger();

	private final AtomicInteger overs = new AtomicInteger();

	private final Hold hold = hold();

	@Operation
	public void release() {
		this.hold.release();
	}

	@Operation
	public void lose() {
		this.hold.terms().lease().refuse();
		this.hold.lookForLoss();
	}

	@Operation
	public void renew() {
		try {
			this.hold.renew();
		}
		catch (LockException | IllegalStateException ex) {
			// The lock was released or lost before.
		}
	}

	@Operation
	public void replyRenewals() {
		this.store.renews.forEach((question) -> question.reply(true));
	}

	@Validate
	public void endedOnce() {
		CompletableFuture<ReleaseOutcome> ended = this.hold.release();
		replyRenewals();
		this.store.releases.forEach((question) -> question.reply(true));
		boolean lost = this.listener.events.contains("lost");
		ReleaseOutcome expected = lost ? ReleaseOutcome.NOT_HELD : ReleaseOutcome.RELEASED;
		List<String> ends = this.listener.events.stream().filter((event) -> !event.equals("renewed")).toList();
		boolean once = ends.size() == (lost ? 2 : 1) && this.store.releases.size() == 1 && this.overs.get() == 1
				&& this.losses.get() == (lost ? 1 : 0);
		if (!once || ended.getNow(null) != expected) {
			throw new IllegalStateException(
					"%s, but events %s, %s, %d releases, %d losses, %d times over".formatted(ended.getNow(null), ends,
							this.hold, this.store.releases.size(), this.losses.get(), this.overs.get()));
		}
	}

	@Test
	void concurrentReleaseLossAndRenewalAgreeOnTheOutcome() {
		Interleavings.check(HoldInterleavingTests.class, Effort.of(2, 6), Effort.of(150, 500));
	}

	private Hold hold() {
		JumpDetectingTimer timer = new JumpDetectingTimer(new ManualLockTimer());
		EngineStore engineStore = new EngineStore(this.store, null, timer);
		AcquireSettings settings = AcquireSettings.of(LockOptions.options(), LockOptions.defaults(), null);
		AcquireRequest request = new AcquireRequest(LockTarget.of("order:42"), "me/secret", "request-1", null);
		Lease lease = new Lease(timer, settings, timer.nanoTime());
		Grant grant = new Grant(request, settings, lease, 7, false, false, HandOverKind.NONE, 0, null);
		StoreMessages messages = EngineCalls.messages();
		Tenure tenure = new Tenure(engineStore, timer, messages, new Renewer(timer, engineStore), Duration.ofMillis(20),
				new OneCaller(), grant);
		Hold hold = tenure.begin(settings, new HoldMonitor(null, Duration.ZERO), this.listener, Runnable::run);
		hold.whenLost(null, this.losses::incrementAndGet);
		hold.watch(this.overs::incrementAndGet);
		return hold;
	}

	/**
	 * For a lock without other callers.
	 */
	private static final class OneCaller implements Tenure.Listener {

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
		}

	}

}
