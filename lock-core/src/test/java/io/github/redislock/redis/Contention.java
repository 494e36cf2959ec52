package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Threads of several instances that contend for one lock, and a check that no two of them
 * hold the lock at once.
 */
final class Contention implements AutoCloseable {

	static final String NAME = "job";

	private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();

	private final Set<Entry> inside = ConcurrentHashMap.newKeySet();

	private final Queue<List<Entry>> overlaps = new ConcurrentLinkedQueue<>();

	private final AtomicLong longestWait = new AtomicLong();

	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	private final List<Thread> threads = new ArrayList<>();

	private final int instances;

	private final Behaviour behaviour;

	private volatile boolean stopped;

	private Contention(int instances, Behaviour behaviour) {
		this.instances = instances;
		this.behaviour = behaviour;
	}

	/**
	 * Begin with patient callers that work under the lock for a millisecond.
	 */
	static Contention of(List<RedisLockTemplate> locks, int threadsEach) {
		return of(locks, threadsEach, new Behaviour(() -> Instances.PATIENT, () -> Duration.ofMillis(1)));
	}

	static Contention of(List<RedisLockTemplate> locks, int threadsEach, Behaviour behaviour) {
		Contention contention = new Contention(locks.size(), behaviour);
		for (int instance = 0; instance < locks.size(); instance++) {
			int number = instance;
			for (int thread = 0; thread < threadsEach; thread++) {
				contention.threads.add(new Thread(() -> contention.run(locks.get(number), number), "contender"));
			}
		}
		contention.threads.forEach((thread) -> {
			thread.setDaemon(true);
			thread.start();
		});
		return contention;
	}

	/**
	 * Interrupt one of the threads.
	 */
	void interruptSomebody() {
		this.threads.get(ThreadLocalRandom.current().nextInt(this.threads.size())).interrupt();
	}

	/**
	 * Stop acquiring the lock, and wait until all threads have ended.
	 */
	void stop() {
		this.stopped = true;
		Instances.await("end of all threads").until(() -> this.threads.stream().noneMatch(Thread::isAlive));
	}

	/**
	 * Fail if two threads ever held the lock at once, or if a later hold had a smaller
	 * token. A hold that was reported lost does not count;
	 * {@link Instances#requireNoLoss()} checks those.
	 */
	void requireExclusion(Instances instances) {
		assertThat(this.failure.get()).isNull();
		assertThat(this.overlaps).as("two who had the lock at a time")
			.filteredOn((both) -> both.stream().noneMatch((entry) -> entry.lost))
			.isEmpty();
		assertThat(this.entries.stream().filter((entry) -> entry.lost).count()).as("losses that were not told")
			.isLessThanOrEqualTo(instances.losses());
		List<Long> tokens = this.entries.stream().filter((entry) -> !entry.lost).map((entry) -> entry.token).toList();
		for (int hold = 1; hold < tokens.size(); hold++) {
			assertThat(tokens.get(hold)).as("token of hold %d", hold).isGreaterThan(tokens.get(hold - 1));
		}
	}

	/**
	 * Return how often each instance acquired the lock.
	 */
	List<Long> holdsPerInstance() {
		List<Long> holds = new ArrayList<>();
		for (int instance = 0; instance < this.instances; instance++) {
			int number = instance;
			holds.add(this.entries.stream().filter((entry) -> entry.instance == number).count());
		}
		return holds;
	}

	/**
	 * Return how many holds in a row each instance had, turn by turn.
	 */
	List<Integer> turns() {
		List<Integer> turns = new ArrayList<>();
		int holder = -1;
		int length = 0;
		for (Entry entry : this.entries) {
			if (entry.instance != holder && length > 0) {
				turns.add(length);
				length = 0;
			}
			holder = entry.instance;
			length++;
		}
		turns.add(length);
		return turns;
	}

	int holds() {
		return this.entries.size();
	}

	Duration longestWait() {
		return Duration.ofNanos(this.longestWait.get());
	}

	@Override
	public void close() {
		this.stopped = true;
	}

	private void run(RedisLockTemplate locks, int instance) {
		try {
			while (!this.stopped) {
				hold(locks, instance);
			}
		}
		catch (Throwable ex) {
			this.failure.compareAndSet(null, ex);
		}
	}

	private void hold(RedisLockTemplate locks, int instance) {
		long begin = System.nanoTime();
		try {
			LockHandle lock = locks.tryAcquire(LockTarget.of(NAME), this.behaviour.options().get());
			if (lock == null) {
				return;
			}
			this.longestWait.accumulateAndGet(System.nanoTime() - begin, Math::max);
			Entry entry = new Entry(instance, lock.fencingToken());
			enter(entry);
			entry.lost = lock.release() == ReleaseOutcome.NOT_HELD;
		}
		catch (LockInterruptedException ex) {
			assertThat(Thread.interrupted()).isTrue();
		}
	}

	private void enter(Entry entry) {
		// This must come first: of two overlapping holds, at least one then sees the
		// other.
		this.inside.add(entry);
		this.inside.stream()
			.filter((other) -> other != entry)
			.forEach((other) -> this.overlaps.add(List.of(other, entry)));
		this.entries.add(entry);
		boolean interrupted = Thread.interrupted();
		Instances.work(this.behaviour.work().get());
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
		this.inside.remove(entry);
	}

	/**
	 * The work of the threads.
	 *
	 * @param options how to acquire the lock this time
	 * @param work how long to keep it this time
	 */
	record Behaviour(Supplier<LockOptions> options, Supplier<Duration> work) {
	}

	/**
	 * A hold, and whether it ended before its holder released it.
	 */
	private static final class Entry {

		private final int instance;

		private final long token;

		private volatile boolean lost;

		Entry(int instance, long token) {
			this.instance = instance;
			this.token = token;
		}

		@Override
		public String toString() {
			return "token %d of instance %d".formatted(this.token, this.instance);
		}

	}

}
