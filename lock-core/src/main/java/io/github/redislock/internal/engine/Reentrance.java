package io.github.redislock.internal.engine;

import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.github.redislock.HeldLock;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * Finds the holds of a caller: those that it may re-enter, and those that keep it from
 * acquiring another lock. Thread-safe.
 */
final class Reentrance {

	private final OpenLocks open;

	Reentrance(OpenLocks open) {
		this.open = open;
	}

	/**
	 * Re-enter a lock that the current thread already holds, or under which its work
	 * runs.
	 * @param handles creates the caller's handle
	 * @return {@code null} if the thread holds no lock that may be re-entered
	 * @throws IllegalStateException if the thread shares the lock and requests it
	 * exclusively or as the only permit, because it would wait for itself
	 */
	<H> @Nullable H enter(LockTarget target, AcquireSettings settings, BiFunction<Hold, AcquireSettings, H> handles) {
		// The work may now run on a thread other than the one that acquired the lock.
		H entered = enter(taken(target, (own) -> own.covers(target)), target, settings, handles,
				(monitor) -> monitor.usedBy(Thread.currentThread()));
		if (entered == null) {
			requireNotShared(target);
		}
		return entered;
	}

	/**
	 * Re-enter a lock under which the current thread's work runs, for asynchronous work.
	 * @param handles creates the caller's handle
	 * @return {@code null} if there is no lock that may be re-entered
	 */
	<H> @Nullable H enterForWork(LockTarget target, AcquireSettings settings,
			BiFunction<Hold, AcquireSettings, H> handles) {
		return enter(ofWork((own) -> own.covers(target)), target, settings, handles, HoldMonitor::usedByWork);
	}

	private static <H> @Nullable H enter(@Nullable Hold hold, LockTarget target, AcquireSettings settings,
			BiFunction<Hold, AcquireSettings, H> handles, Consumer<HoldMonitor> whenEntered) {
		if (hold == null || !settings.reentrant() || !hold.terms().settings().reentrant()
				|| (settings.owner() != null && !settings.owner().equals(hold.owner()))) {
			return null;
		}
		H entered = hold.enterAgain(target, (own) -> handles.apply(own, settings));
		if (entered != null) {
			whenEntered.accept(hold.monitor());
		}
		return entered;
	}

	private void requireNotShared(LockTarget target) {
		LockTarget own = heldInPart(target);
		boolean sharesWithOthers = target.isShared() && target.maxHolders() > 1;
		if (own != null && own.isShared() && !sharesWithOthers) {
			throw new IllegalStateException(
					("Lock '%s' not acquired: this thread itself holds '%s' and would wait for itself. Release that"
							+ " lock first, or acquire this one for writing from the beginning")
						.formatted(target, own));
		}
	}

	/**
	 * Return a lock of the current thread that overlaps with the wanted locks without
	 * covering them.
	 */
	@Nullable LockTarget heldInPart(LockTarget target) {
		Hold own = taken(target, (hold) -> isInTheWay(hold, target));
		return (own != null) ? own.target() : null;
	}

	/**
	 * Return a lock of the current thread's work that overlaps with the wanted locks
	 * without covering them.
	 */
	@Nullable LockTarget heldByWork(LockTarget target) {
		Hold ofWork = ofWork((hold) -> isInTheWay(hold, target));
		return (ofWork != null) ? ofWork.target() : null;
	}

	/**
	 * Return whether a hold overlaps with a target without covering it. A lost, leaked or
	 * detached hold does not count.
	 */
	private static boolean isInTheWay(Hold hold, LockTarget target) {
		return hold.standing().isOpen() && hold.monitor().isReentrant() && !hold.covers(target)
				&& !Collections.disjoint(hold.target().names(), target.names());
	}

	/**
	 * Return the innermost matching hold of this engine under which the current thread's
	 * work runs.
	 */
	private @Nullable Hold ofWork(Predicate<Hold> fitting) {
		return ThreadLocks.ofWork()
			.stream()
			.map(Reentrance::hold)
			.filter((hold) -> fits(hold, fitting))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return a matching hold of this engine that the current thread acquired and that has
	 * a name in common with a target.
	 */
	private @Nullable Hold taken(LockTarget target, Predicate<Hold> fitting) {
		CallersLock lock = ThreadLocks.find(target, (own) -> fits(hold(own), fitting));
		return (lock != null) ? hold(lock) : null;
	}

	private boolean fits(@Nullable Hold hold, Predicate<Hold> fitting) {
		return hold != null && this.open.isOpen(hold) && fitting.test(hold);
	}

	/**
	 * Return the holds of a caller on the current thread: those that the thread acquired,
	 * and those under which its work runs. For asynchronous work the thread's own holds
	 * do not count, because the thread may release them while the work waits.
	 * @param caller the caller's monitor
	 */
	static List<Hold> holds(HoldMonitor caller) {
		return ThreadLocks.isEmpty() ? List.of()
				: Stream.concat(ThreadLocks.taken().stream(), ThreadLocks.ofWork().stream())
					.map(Reentrance::hold)
					.filter((hold) -> hold != null && hold.monitor().belongsOnlyTo(caller))
					.toList();
	}

	private static @Nullable Hold hold(HeldLock lock) {
		return (lock instanceof HoldHandle given) ? given.hold() : null;
	}

}
