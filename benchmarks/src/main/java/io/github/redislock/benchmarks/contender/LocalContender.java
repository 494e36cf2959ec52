package io.github.redislock.benchmarks.contender;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A fair lock of the JDK, within one process only.
 */
final class LocalContender implements Contender {

	@Override
	public String name() {
		return Contenders.LOCAL;
	}

	@Override
	public String title() {
		return "fair ReentrantLock";
	}

	@Override
	public LockClient open(ClientSettings settings) {
		return new Client();
	}

	@Override
	public String key(String name) {
		throw new UnsupportedOperationException("a local lock has no key in Redis");
	}

	private static final class Client implements LockClient {

		private final Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();

		@Override
		public Held acquire(String name) {
			ReentrantLock lock = this.locks.computeIfAbsent(name, (missing) -> new ReentrantLock(true));
			lock.lock();
			return lock::unlock;
		}

		@Override
		public void close() {
			this.locks.clear();
		}

	}

}
