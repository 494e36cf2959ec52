package io.github.redislock.campaign.nemesis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.github.redislock.campaign.deployment.Deployment;
import io.github.redislock.campaign.deployment.Replicated;
import io.github.redislock.campaign.worker.Setup;
import org.jspecify.annotations.Nullable;

/**
 * The servers and processes that faults may hit. Apart from starvation, at most one fault
 * at a time affects the same process, and at most one affects the servers.
 */
public final class Field {

	private final Deployment deployment;

	private final List<Child> idle;

	private final @Nullable ServerClock clock;

	private final Duration lease;

	private final Duration clockStep;

	private final int keys;

	private final ReentrantLock serversInUse = new ReentrantLock();

	/**
	 * Create a field.
	 * @param deployment the servers
	 * @param children the clients of the servers
	 * @param clock the server's clock, or {@code null} if it cannot be stepped
	 * @param lease the lease of locks
	 * @param clockStep the largest step of the clock
	 * @param keys the number of locks
	 */
	public Field(Deployment deployment, List<Child> children, @Nullable ServerClock clock, Duration lease,
			Duration clockStep, int keys) {
		this.deployment = deployment;
		this.idle = new ArrayList<>(children);
		this.clock = clock;
		this.lease = lease;
		this.clockStep = clockStep;
		this.keys = keys;
	}

	@Nullable ServerClock clock() {
		return this.clock;
	}

	Duration clockStep() {
		return this.clockStep;
	}

	Duration leases(Random random, double from, double to) {
		return Duration.ofNanos((long) (this.lease.toNanos() * (from + random.nextDouble() * (to - from))));
	}

	static Duration time(Random random, double from, double to) {
		return Duration.ofMillis((long) (1_000 * (from + random.nextDouble() * (to - from))));
	}

	/**
	 * Return the Redis key of a random lock.
	 */
	String key(Random random) {
		return "distributed_lock:" + Setup.lock(random.nextInt(this.keys));
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

	/**
	 * Cause a fault of some servers, and wait until they have recovered.
	 */
	void onServers(Consumer<Deployment> fault) {
		this.serversInUse.lock();
		try {
			fault.accept(this.deployment);
			this.deployment.awaitWhole();
		}
		finally {
			this.serversInUse.unlock();
		}
	}

	void onReplicated(Consumer<Replicated> fault) {
		onServers((servers) -> fault.accept((Replicated) servers));
	}

}
