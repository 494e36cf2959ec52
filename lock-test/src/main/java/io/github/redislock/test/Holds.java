package io.github.redislock.test;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Records the locks that templates hold and have acquired.
 */
final class Holds implements LockListener {

	private final Set<HeldLock> locks = ConcurrentHashMap.newKeySet();

	private final List<String> acquired = new CopyOnWriteArrayList<>();

	private final LockOrders orders = new LockOrders();

	@Override
	public @Nullable LockListener acquiring(LockTarget target) {
		this.orders.asked(target);
		return null;
	}

	@Override
	public void acquired(HeldLock lock, Duration waited, HandOverKind from) {
		this.locks.add(lock);
		this.acquired.add(lock.name());
	}

	@Override
	public void lost(HeldLock lock, LockLostException loss) {
		this.locks.remove(lock);
	}

	@Override
	public void released(HeldLock lock, ReleaseOutcome outcome, Duration held) {
		this.locks.remove(lock);
	}

	/**
	 * Return whether the owner token of one of the templates' current holds matches.
	 * @param owners tests whether an owner token is that of a holder in the store
	 */
	boolean areOf(Predicate<String> owners) {
		return this.locks.stream().anyMatch((lock) -> owners.test(lock.owner()));
	}

	Set<String> names() {
		return this.locks.stream().flatMap((lock) -> lock.target().names().stream()).collect(Collectors.toSet());
	}

	List<String> acquired() {
		return List.copyOf(this.acquired);
	}

	LockOrders orders() {
		return this.orders;
	}

	void clear() {
		this.orders.clear();
		this.acquired.clear();
	}

}
