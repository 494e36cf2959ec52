package io.github.redislock.memory;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

import io.github.redislock.store.AcquireRequest;

/**
 * The state of a store: its locks by name, and the withdrawn requests.
 */
final class Memory {

	private static final int CLEAN_UP_SIZE = 1_000;

	private final StoreClock clock;

	private final Map<String, MemoryLock> locks = new HashMap<>();

	private final Withdrawals withdrawals;

	private int cleanUpAt = CLEAN_UP_SIZE;

	Memory(StoreClock clock) {
		this.clock = clock;
		this.withdrawals = new Withdrawals(clock);
	}

	/**
	 * Return the lock with a name, and create it if it does not exist.
	 */
	MemoryLock lock(String name) {
		return this.locks.computeIfAbsent(name, (unknown) -> new MemoryLock(name, this.clock));
	}

	/**
	 * Return the lock with a name if it exists.
	 */
	Stream<MemoryLock> known(String name) {
		return Stream.ofNullable(this.locks.get(name));
	}

	void withdraw(AcquireRequest request) {
		this.withdrawals.add(request);
	}

	boolean isWithdrawn(AcquireRequest request) {
		return this.withdrawals.contains(request);
	}

	/**
	 * Remove expired entries each time the number of entries has grown by half.
	 */
	void cleanUp() {
		if (locksAndWithdrawals() < this.cleanUpAt) {
			return;
		}
		this.locks.values().removeIf(MemoryLock::isIdle);
		this.withdrawals.forgetOld();
		this.cleanUpAt = Math.max(CLEAN_UP_SIZE, locksAndWithdrawals() + locksAndWithdrawals() / 2);
	}

	void clear() {
		this.locks.clear();
		this.withdrawals.clear();
	}

	/**
	 * Return the total number of locks, waiters and withdrawals.
	 */
	int size() {
		return locksAndWithdrawals() + this.locks.values().stream().mapToInt((lock) -> lock.waiters().size()).sum();
	}

	private int locksAndWithdrawals() {
		return this.locks.size() + this.withdrawals.size();
	}

}
