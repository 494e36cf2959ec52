package io.github.redislock.internal.support;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Lets a thread that is about to wait for a reply send the request itself, if the client
 * blocks anyway. Otherwise, two more threads would have to be woken for each request.
 * <p>
 * The request is sent when the code that wanted to send it has returned, because that
 * code may hold up other threads. Confined to one thread.
 */
public final class CallingThread {

	private static final ThreadLocal<@Nullable CallingThread> WAITING = new ThreadLocal<>();

	private final Duration patience;

	private @Nullable Consumer<Boolean> request;

	private CallingThread(Duration patience) {
		this.patience = patience;
	}

	/**
	 * Begin an operation for which the current thread then waits.
	 * @param patience how long the thread waits at least, if it gets no reply
	 * @param begin begins the operation. The first request that it {@linkplain #accepts
	 * offers} is sent by the current thread after that, unless the operation is already
	 * done then
	 * @param outcome returns the future for which the thread waits
	 */
	public static <T> T begin(Duration patience, Supplier<T> begin, Function<T, CompletableFuture<?>> outcome) {
		CallingThread caller = new CallingThread(patience);
		boolean waits = false;
		try {
			T begun = use(caller, begin);
			waits = !outcome.apply(begun).isDone();
			return begun;
		}
		finally {
			if (caller.request != null) {
				caller.request.accept(waits);
			}
		}
	}

	/**
	 * Run code whose requests the current thread does not wait for, such as a listener.
	 */
	public static void runOther(Runnable other) {
		use(null, () -> {
			other.run();
			return true;
		});
	}

	/**
	 * Offer a request to the current thread.
	 * @param request is called later, with {@code false} if another thread has to send it
	 * @param longest how long the request takes at most
	 * @return {@code false} if another thread has to send it
	 */
	public static boolean accepts(Consumer<Boolean> request, Duration longest) {
		CallingThread caller = WAITING.get();
		if (caller == null || caller.request != null || caller.patience.compareTo(longest) < 0 || !hasStack()) {
			return false;
		}
		caller.request = request;
		return true;
	}

	/**
	 * Return whether at least about 32 kB of the thread's stack are left. An overflow
	 * while the request is sent, or while its reply is handled, could leave a lock of
	 * this JVM locked.
	 */
	private static boolean hasStack() {
		try {
			return useStack(200, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16) > 0;
		}
		catch (StackOverflowError ex) {
			return false;
		}
	}

	private static long useStack(int frames, long a, long b, long c, long d, long e, long f, long g, long h, long i,
			long j, long k, long l, long m, long n, long o, long p) {
		return (frames == 0) ? a : useStack(frames - 1, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, a);
	}

	private static <T> T use(@Nullable CallingThread caller, Supplier<T> code) {
		CallingThread before = WAITING.get();
		WAITING.set(caller);
		try {
			return code.get();
		}
		finally {
			WAITING.set(before);
		}
	}

}
