package io.github.redislock.engine;

import java.lang.StackWalker.StackFrame;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockOperations;

/**
 * Finds and caches the call sites at which locks are acquired. A program has few of them.
 * Thread-safe.
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

	/** Packages through which every reactive call goes. */
	private static final List<String> REACTIVE_CODE = List.of("io.github.redislock.reactive.", "reactor.core.");

	private static final int MOST_FRAMES = 8;

	/** A limit for programs that generate code at run time. */
	private static final int MOST_SITES = 1_000;

	private static final StackWalker WALKER = StackWalker.getInstance();

	private final ConcurrentMap<List<Place>, List<StackTraceElement>> known = new ConcurrentHashMap<>();

	/**
	 * Return the call that entered this library, and the calls before it.
	 */
	List<StackTraceElement> here() {
		return WALKER.walk((frames) -> {
			List<StackFrame> calls = new ArrayList<>(MOST_FRAMES);
			Iterator<StackFrame> all = frames.iterator();
			while (all.hasNext() && calls.size() < MOST_FRAMES) {
				StackFrame frame = all.next();
				if (!isOurs(frame.getClassName(), calls.isEmpty())) {
					calls.add(frame);
				}
			}
			return described(calls);
		});
	}

	/**
	 * Return whether a class is to be skipped because it is not a caller.
	 * @param innermost whether no caller has been found yet
	 */
	private static boolean isOurs(String className, boolean innermost) {
		if (innermost && OWN_CODE.contains(className)) {
			return true;
		}
		for (String prefix : REACTIVE_CODE) {
			if (className.startsWith(prefix)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return calls with their line numbers. Those of known call sites are cached, because
	 * finding a line number takes much longer than a lookup.
	 */
	private List<StackTraceElement> described(List<StackFrame> calls) {
		List<Place> site = new ArrayList<>(calls.size());
		for (StackFrame call : calls) {
			site.add(new Place(call.getClassName(), call.getMethodName(), call.getByteCodeIndex()));
		}
		if (this.known.size() > MOST_SITES) {
			this.known.clear();
		}
		return this.known.computeIfAbsent(site,
				(first) -> calls.stream().map(StackFrame::toStackTraceElement).toList());
	}

	/**
	 * A position in the code.
	 *
	 * @param index the index of the instruction in the method
	 */
	private record Place(String className, String methodName, int index) {
	}

}
