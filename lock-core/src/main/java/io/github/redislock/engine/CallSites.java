package io.github.redislock.engine;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockOperations;

/**
 * Remembers from where locks are taken. A program takes them in few places, so each is
 * kept once, whatever the number of locks. Thread-safe.
 */
final class CallSites {

	/** Those of the engine by their names, since they stand on this class. */
	private static final Set<String> OWN_CODE = Stream
		.concat(Stream.of(LockOperations.class, AsyncLockOperations.class).map(Class::getName),
				Stream.of("CallSites", "LockEngine", "LockTemplate", "AsyncTemplate")
					.map((name) -> CallSites.class.getPackageName() + '.' + name))
		.collect(Collectors.toUnmodifiableSet());

	/** Through which every reactive call goes; what it comes from is of interest. */
	private static final List<String> REACTIVE_CODE = List.of("io.github.redislock.reactive.", "reactor.core.");

	private static final int MOST_FRAMES = 8;

	/** Against programs that make up code as they go. */
	private static final int MOST_SITES = 1_000;

	private static final StackWalker WALKER = StackWalker.getInstance();

	private final ConcurrentMap<List<StackTraceElement>, List<StackTraceElement>> known = new ConcurrentHashMap<>();

	/**
	 * Return the call that led into this library, and those before it.
	 */
	List<StackTraceElement> here() {
		List<StackTraceElement> site = WALKER
			.walk((frames) -> frames.dropWhile((frame) -> OWN_CODE.contains(frame.getClassName()))
				.filter((frame) -> REACTIVE_CODE.stream().noneMatch(frame.getClassName()::startsWith))
				.limit(MOST_FRAMES)
				.map(StackWalker.StackFrame::toStackTraceElement)
				.toList());
		if (this.known.size() > MOST_SITES) {
			this.known.clear();
		}
		List<StackTraceElement> earlier = this.known.putIfAbsent(site, site);
		return (earlier != null) ? earlier : site;
	}

}
