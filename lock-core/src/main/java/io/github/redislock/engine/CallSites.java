package io.github.redislock.engine;

import java.lang.StackWalker.StackFrame;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockOperations;
import io.github.redislock.LockTarget;

/**
 * Finds the call sites at which locks are acquired. Thread-safe.
 * <p>
 * Walking the stack is expensive, so it is done only for locks of which a hold was
 * reported before.
 */
final class CallSites {

	/**
	 * The classes of this library that are skipped at the top of the stack. Those of the
	 * engine are listed by name, to avoid a dependency cycle.
	 */
	private static final Set<String> OWN_CODE = Stream
		.concat(Stream.of(LockOperations.class, AsyncLockOperations.class).map(Class::getName),
				Stream.of("CallSites", "LockEngine", "LockTemplate", "AsyncTemplate")
					.map((name) -> CallSites.class.getPackageName() + '.' + name))
		.collect(Collectors.toUnmodifiableSet());

	/** Packages of reactive code, whose calls are left out. */
	private static final List<String> REACTIVE_CODE = List.of("io.github.redislock.reactive.", "reactor.core.");

	private static final int MOST_FRAMES = 8;

	/** A limit for programs that generate names at run time. */
	private static final int MOST_NAMES = 1_000;

	private static final StackWalker WALKER = StackWalker.getInstance();

	private final Set<String> found = ConcurrentHashMap.newKeySet();

	/**
	 * Find call sites from now on at which this lock, or another one with the same name
	 * in metrics, is acquired.
	 */
	void find(LockTarget target) {
		if (this.found.size() < MOST_NAMES) {
			this.found.add(name(target));
		}
	}

	/**
	 * Return the call that entered this library, and the calls before it. The list is
	 * empty unless {@link #find} was called for such a lock.
	 */
	List<StackTraceElement> here(LockTarget target) {
		return (this.found.isEmpty() || !this.found.contains(name(target))) ? List.of() : here();
	}

	private static String name(LockTarget target) {
		return Objects.requireNonNullElse(target.metricName(), target.name());
	}

	private static List<StackTraceElement> here() {
		return WALKER.walk(
				(frames) -> frames.filter((frame) -> REACTIVE_CODE.stream().noneMatch(frame.getClassName()::startsWith))
					.dropWhile((frame) -> OWN_CODE.contains(frame.getClassName()))
					.limit(MOST_FRAMES)
					.map(StackFrame::toStackTraceElement)
					.toList());
	}

}
