package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.Interleavings;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * However threads interleave, a {@link Renewer} wakes each lease exactly once for each
 * time that was set, and forgets released leases.
 */
@Tag("interleaving")
@Tag("promise-2")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
public class RenewerInterleavingTests {

	private static final Duration DUE = Duration.ofSeconds(10);

	private final ManualLockTimer timer = new ManualLockTimer();

	private final Renewer renewer = new Renewer(this.timer,
			new EngineStore(new InMemoryLockStore(this.timer), null, this.timer));

	private final List<Lease> leases = new ArrayList<>();

	@Operation
	public void keepLease() {
		Lease lease = new Lease(this.renewer);
		synchronized (this.leases) {
			this.leases.add(lease);
		}
		this.renewer.wakeAt(lease, this.timer.nanoTime() + DUE.toNanos(), 0);
	}

	@Operation
	public void releaseLease() {
		Lease lease = new Lease(this.renewer);
		this.renewer.wakeAt(lease, this.timer.nanoTime() + DUE.toNanos(), 0);
		this.renewer.forget(lease);
	}

	@Operation
	public void letTimePass() {
		this.timer.advance(DUE);
	}

	@Validate
	public void eachLeaseIsWokenOnce() {
		this.timer.advance(DUE);
		for (Lease lease : this.leases) {
			if (lease.woken.get() != 1) {
				throw new IllegalStateException("A lease was woken %d times".formatted(lease.woken.get()));
			}
		}
		if (!this.renewer.isEmpty()) {
			throw new IllegalStateException("A lease is left that was released");
		}
	}

	@Test
	void concurrentLeasesAreEachWokenOnce() {
		Interleavings.check(RenewerInterleavingTests.class, Effort.of(2, 6), Effort.of(150, 500));
	}

	/**
	 * A lease that counts how often it was woken.
	 */
	private static final class Lease extends Renewer.Wakeable {

		private final AtomicInteger woken = new AtomicInteger();

		Lease(Renewer renewer) {
			super(renewer);
		}

		@Override
		void schedule() {
		}

		@Override
		void checkIn(Duration pause) {
		}

		@Override
		List<Renewer.Change> wakeUp() {
			this.woken.incrementAndGet();
			return List.of();
		}

		@Override
		void report() {
		}

	}

}
