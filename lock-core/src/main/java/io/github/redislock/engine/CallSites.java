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
 * Remembers where locks are acquired. These are few call sites, so each is cached once.
 * Thread-safe.
 */
final class CallSites {

	/** The engine's classes by name, since they depend on this class. */
	private static final Set<String> OWN_CODE = Stream
		.concat(Stream.of(LockOperations.class, AsyncLockOperations.class).map(Class::getName),
				Stream.of("CallSites", "LockEngine", "LockTemplate", "AsyncTemplate")
					.map((name) -> CallSites.class.getPackageName() + '.' + name))
		.collect(Collectors.toUnmodifiableSet());

	/** Every reactive call goes through these. */
	private static final List<String> REACTIVE_CODE = List.of("io.github.redislock.reactive.", "reactor.core.");

	private static final int MOST_FRAMES = 8;

	/** A limit for programs that generate code at run time. */
	private static final int MOST_SITES = 1_000;

	private static final StackWalker WALKER = StackWalker.getInstance();

	private final ConcurrentMap<List<Place>, List<StackTraceElement>> known = new ConcurrentHashMap<>();

	/**
	 * Return the call that led into this library, and those before it.
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
	 * Return whether a class is not a place where a lock is taken.
	 * @param innermost whether only its callees were seen so far
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
	 * Return calls with their lines of code, which take much longer to find than to
	 * recognize a known call.
	 */
	private List<StackTraceElement> described(List<StackFrame> calls) {
		List<Place> site = new ArrayList<>(calls.size());
		for (StackFrame call : calls) {
			site.add(new Place(call.getClassName(), call.getMethodName(), call.getByteCodeIndex()));
		}
		List<StackTraceElement> earlier = this.known.get(site);
		if (earlier != null) {
			return earlier;
		}
		if (this.known.size() > MOST_SITES) {
			this.known.clear();
		}
		List<StackTraceElement> described = calls.stream().map(StackFrame::toStackTraceElement).toList();
		this.known.put(site, described);
		return described;
	}

	/**
	 * A place in the code.
	 *
	 * @param index of the instruction in the method
	 */
	private record Place(String className, String methodName, int index) {
	}

}
