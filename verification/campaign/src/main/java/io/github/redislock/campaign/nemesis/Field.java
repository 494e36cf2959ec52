package io.github.redislock.campaign.nemesis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.github.redislock.testing.RedisProcess;
import org.jspecify.annotations.Nullable;

/**
 * What may be broken. Two faults never break the same thing at once.
 */
public final class Field {

	private final RedisProcess redis;

	private final List<Child> idle;

	private final @Nullable ServerClock clock;

	private final Duration lease;

	private final Duration clockStep;

	private final ReentrantLock redisInUse = new ReentrantLock();

	/**
	 * Create a field.
	 * @param redis the server
	 * @param children its clients
	 * @param clock the server's clock, if it can be moved
	 * @param lease for how long locks are given
	 * @param clockStep how far the clock steps at most
	 */
	public Field(RedisProcess redis, List<Child> children, @Nullable ServerClock clock, Duration lease,
			Duration clockStep) {
		this.redis = redis;
		this.idle = new ArrayList<>(children);
		this.clock = clock;
		this.lease = lease;
		this.clockStep = clockStep;
	}

	@Nullable ServerClock clock() {
		return this.clock;
	}

	Duration clockStep() {
		return this.clockStep;
	}

	/**
	 * Return some part of a lease, or a multiple.
	 */
	Duration leases(Random random, double from, double to) {
		return Duration.ofNanos((long) (this.lease.toNanos() * (from + random.nextDouble() * (to - from))));
	}

	void onChild(Random random, Consumer<Child> fault) {
		Child victim;
		synchronized (this.idle) {
			victim = this.idle.remove(random.nextInt(this.idle.size()));
		}
		try {
			fault.accept(victim);
		}
		finally {
			synchronized (this.idle) {
				this.idle.add(victim);
			}
		}
	}

	void onRedis(Consumer<RedisProcess> fault) {
		this.redisInUse.lock();
		try {
			fault.accept(this.redis);
		}
		finally {
			this.redisInUse.unlock();
		}
	}

}
