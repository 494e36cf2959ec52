package io.github.redislock.campaign.worker;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.redislock.campaign.history.Recorder;
import io.github.redislock.campaign.worker.Locks.DeniedException;
import org.jspecify.annotations.Nullable;

/**
 * A thread that acquires locks in various ways. Some threads are patient: they wait for a
 * long time, hold locks for a long time, and acquire more locks while they hold one.
 */
final class Contender {

	/**
	 * A waiting time after which a waiting holder has certainly checked for a deadlock.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(6);

	private static final Duration LOOK = Duration.ofMillis(2);

	private final Setup setup;

	private final Random random;

	private final Recorder recorder;

	private final Surprises surprises;

	private final Witness witness;

	private final Supplier<Instance> instance;

	private final Executor others;

	private final boolean patient;

	Contender(Setup setup, Random random, Recorder recorder, Witness witness, Supplier<Instance> instance,
			Executor others, boolean patient) {
		this.setup = setup;
		this.random = random;
		this.recorder = recorder;
		this.surprises = new Surprises(setup.redis().topology(), recorder);
		this.witness = witness;
		this.instance = instance;
		this.others = others;
		this.patient = patient;
	}

	void contend() {
		int middle = this.setup.keys() - Setup.ORDERED;
		if (this.patient) {
			contend(middle, this.setup.keys());
		}
		else {
			contend(Setup.ROLE_KEY + 1, middle);
		}
	}

	/**
	 * Acquire one of the locks in a range. All threads acquire several locks in the same
	 * order, so there is never a deadlock.
	 */
	private void contend(int first, int end) {
		int key = first + this.random.nextInt(end - first);
		Instance present = this.instance.get();
		Want want = new Want(Setup.lock(key), waitTime(), isRenewed(), this.patient, owner());
		long attempt = this.recorder.asks(want.key(), want.owner(), want.waitTime().toNanos());
		Held lock = acquire(present, want, attempt);
		if (lock == null) {
			Thread.interrupted();
			Pause.of(Duration.ofMillis(this.random.nextInt(20)));
			return;
		}
		Section section = new Section(lock, this.recorder, this.witness, present.closing(), attempt, key,
				this.witness.nextEntry(this.setup.number()), System.nanoTime());
		if (section.enter()) {
			work(section);
			if (this.patient && key + 1 < end) {
				contend(key + 1, end);
			}
		}
		if (!this.patient && this.random.nextInt(8) == 0) {
			this.others.execute(section::end);
		}
		else {
			section.end();
		}
		Thread.interrupted();
		Pause.of(Duration.ofMillis(this.random.nextInt(30)));
	}

	private @Nullable Held acquire(Instance present, Want want, long attempt) {
		try {
			return present.locks().acquire(want);
		}
		catch (DeniedException ex) {
			this.recorder.isDenied(attempt, ex.outcome(), System.nanoTime(), ex.holder());
			this.surprises.check(ex.outcome(), ex.getCause());
			return null;
		}
	}

	private void work(Section section) {
		long end = System.nanoTime() + length().toNanos();
		boolean changes = this.random.nextInt(8) == 0;
		while (section.work() && System.nanoTime() - end < 0) {
			Pause.of(LOOK);
			Thread.interrupted();
			if (changes) {
				changeLease(section);
				changes = false;
			}
		}
	}

	private void changeLease(Section section) {
		if (this.random.nextBoolean()) {
			section.renew(Duration.ofMillis(300 + this.random.nextInt(1200)));
		}
		else {
			section.extend(Duration.ofMillis(1 + this.random.nextInt(500)));
		}
	}

	/**
	 * Return how long to hold a lock. A patient thread holds it for up to two leases.
	 * Other holds are mostly short, but more of them are long if the setup asks for that.
	 */
	private Duration length() {
		int dice = this.random.nextInt(100);
		long lease = this.setup.lease().toMillis();
		if (this.patient) {
			return Duration.ofMillis(this.random.nextLong(2 * lease));
		}
		if (dice < (this.setup.longHolds() ? 40 : 90)) {
			return Duration.ofMillis(this.random.nextInt(15));
		}
		if (dice < (this.setup.longHolds() ? 80 : 99)) {
			return Duration.ofMillis(this.random.nextLong(lease / 4));
		}
		return Duration.ofMillis(lease / 2 + this.random.nextLong(lease * 3 / 2));
	}

	/**
	 * Return whether the lease is renewed. In controls, more leases are not renewed,
	 * because a renewal detects that Redis has forgotten the lock.
	 */
	private boolean isRenewed() {
		return this.random.nextInt(this.setup.longHolds() ? 2 : 5) > 0;
	}

	private Duration waitTime() {
		if (this.patient) {
			return PATIENCE;
		}
		return switch (this.random.nextInt(4)) {
			case 0 -> Duration.ZERO;
			case 1 -> Duration.ofMillis(this.random.nextInt(100));
			case 2 -> Duration.ofMillis(this.random.nextInt(1000));
			default -> Duration.ofSeconds(5);
		};
	}

	private @Nullable String owner() {
		return (this.random.nextInt(4) > 0) ? null
				// Tokens differ in their first characters, because a refusal contains
				// only those.
				: "%016x-own-%s".formatted(this.random.nextLong(), this.setup.client());
	}

}
