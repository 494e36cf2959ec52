package io.github.redislock.samples.cluster.worker;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import io.github.redislock.LockException;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.samples.cluster.message.Claim;
import io.github.redislock.samples.cluster.message.Kind;

import org.springframework.stereotype.Component;

/**
 * Acquires the lock, works in steps, releases the lock, pauses, and then starts over.
 * <p>
 * Sometimes the worker hangs past the end of its lease, without renewing the lock.
 */
@Component
class Worker {

	private static final LockTarget LOCK = LockTarget.of("ledger").withMetricName("ledger");

	private final RedisLockTemplate locks;

	private final Ledger ledger;

	private final Reports reports;

	private final Lifeline lifeline;

	private final WorkerProperties properties;

	Worker(RedisLockTemplate locks, Ledger ledger, Reports reports, Lifeline lifeline, WorkerProperties properties) {
		this.locks = locks;
		this.ledger = ledger;
		this.reports = reports;
		this.lifeline = lifeline;
		this.properties = properties;
	}

	void workForEver() {
		// The first request of a process is slow, so it is sent before the worker holds
		// the lock.
		this.ledger.leave(new Claim(this.properties.name(), 0, 0));
		this.reports.say(Kind.STARTED, 0, "has started");
		while (true) {
			try {
				takeTurn();
			}
			catch (LockException ex) {
				this.reports.say(Kind.FAILED, 0, "did not get the lock: " + ex.getMessage());
			}
			pause(this.properties.step().multipliedBy(ThreadLocalRandom.current().nextInt(2, 10)));
		}
	}

	private void takeTurn() {
		boolean hangs = this.lifeline.asksToHang()
				|| ThreadLocalRandom.current().nextDouble() < this.properties.hangChance();
		this.reports.say(Kind.WAITS, 0, "requests the lock");
		long asked = System.nanoTime();
		LockHandle lock = this.locks.acquire(LOCK, LockOptions.options().autoRenew(!hangs));
		long token = lock.fencingToken();
		this.reports.say(Kind.HOLDS, token,
				"waited %s and got the lock, token %d".formatted(seconds(System.nanoTime() - asked), token));
		lock.onLost(() -> this.reports.say(Kind.LOST, token, "lost the lock before its release"));
		this.ledger.write(claim(lock));
		if (hangs) {
			hang(lock);
		}
		else {
			work(lock);
		}
		this.ledger.leave(claim(lock));
		release(lock);
	}

	/**
	 * Several times, check the lock, work for a while, and write. Between the check and
	 * the write, the process may be stopped for any length of time. No lock can prevent
	 * that, so each write carries the fencing token.
	 */
	private void work(LockHandle lock) {
		int steps = ThreadLocalRandom.current().nextInt(4, 13);
		this.reports.say(Kind.WORKS, lock.fencingToken(), "works, %d steps".formatted(steps));
		for (int step = 0; step < steps && lock.isHeld(); step++) {
			Claim claim = claim(lock);
			pause(this.properties.step());
			this.ledger.write(claim);
		}
	}

	private void hang(LockHandle lock) {
		Claim claim = claim(lock);
		this.reports.say(Kind.HANGS, claim.token(),
				"hangs for %s without renewing the lock".formatted(seconds(this.properties.hangFor().toNanos())));
		pause(this.properties.hangFor());
		this.ledger.write(claim);
	}

	private void release(LockHandle lock) {
		ReleaseOutcome outcome = lock.release();
		switch (outcome) {
			case RELEASED -> this.reports.say(Kind.RELEASED, lock.fencingToken(), "released the lock");
			case NOT_HELD -> this.reports.say(Kind.NOT_RELEASED, lock.fencingToken(),
					"failed to release the lock: it was lost before");
			default -> this.reports.say(Kind.NOT_RELEASED, lock.fencingToken(),
					"released the lock, but Redis did not confirm it: the lock may stay held until it expires");
		}
	}

	private Claim claim(LockHandle lock) {
		return Claim.of(this.properties.name(), lock);
	}

	private static String seconds(long nanos) {
		return String.format(Locale.ROOT, "%.3f s", nanos / 1e9);
	}

	private static void pause(Duration length) {
		long end = System.nanoTime() + length.toNanos();
		for (long left = length.toNanos(); left > 0; left = end - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

}
