package io.github.redislock.redis.quorum;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.redislock.internal.support.DaemonThreads;

/**
 * Resolves host names, with a time limit.
 */
final class HostNames {

	private static final Duration PATIENCE = Duration.ofSeconds(2);

	private HostNames() {
	}

	/**
	 * Resolve names, all at once.
	 * @return the addresses of each name; empty if the lookup failed, took too long or
	 * was interrupted
	 */
	static Map<String, Set<InetAddress>> resolve(Collection<String> names) {
		Map<String, FutureTask<Set<InetAddress>>> lookups = new LinkedHashMap<>();
		names.forEach((name) -> lookups.computeIfAbsent(name, HostNames::lookUp));
		long end = System.nanoTime() + PATIENCE.toNanos();
		Map<String, Set<InetAddress>> addresses = new LinkedHashMap<>();
		lookups.forEach((name, lookup) -> addresses.put(name, reply(lookup, end)));
		return addresses;
	}

	/**
	 * Look up a name on a new thread, because the wait for a name server cannot be
	 * interrupted.
	 */
	private static FutureTask<Set<InetAddress>> lookUp(String name) {
		FutureTask<Set<InetAddress>> lookup = new FutureTask<>(
				() -> Set.copyOf(List.of(InetAddress.getAllByName(name))));
		DaemonThreads.create("redis-lock-names", lookup).start();
		return lookup;
	}

	private static Set<InetAddress> reply(FutureTask<Set<InetAddress>> lookup, long end) {
		try {
			return lookup.get(Math.max(end - System.nanoTime(), 0), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return Set.of();
		}
		catch (ExecutionException | TimeoutException ex) {
			return Set.of();
		}
	}

}
