package io.github.redislock.benchmarks.contender;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.lettuce.core.SetArgs;
import org.jspecify.annotations.Nullable;

/**
 * The minimum for a free lock: {@code SET NX PX}, and a script that deletes the key if it
 * is still ours. It has no renewal and no fencing token, and does not handle lost
 * replies.
 * <p>
 * If gated, a fair local lock lets only one thread of the process at a time send requests
 * for the same lock to Redis. In that case, only another process can cause a refusal,
 * which is retried every millisecond.
 */
final class RawContender implements Contender {

	/** Deletes a key if it still has our value. */
	static final String RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then"
			+ " return redis.call('DEL', KEYS[1]) end return 0";

	private static final long POLL = TimeUnit.MILLISECONDS.toNanos(1);

	private final boolean gated;

	RawContender(boolean gated) {
		this.gated = gated;
	}

	@Override
	public String name() {
		return this.gated ? Contenders.RAW_GATED : Contenders.RAW;
	}

	@Override
	public String title() {
		return this.gated ? "ReentrantLock, then raw Lettuce" : "raw Lettuce";
	}

	@Override
	public LockClient open(ClientSettings settings) {
		return new Client(settings, this.gated);
	}

	@Override
	public String key(String name) {
		return "raw:" + name;
	}

	private final class Client implements LockClient {

		private final RawConnection connection;

		private final String release;

		private final String owner = UUID.randomUUID().toString();

		private final SetArgs ifFree;

		private final @Nullable Map<String, ReentrantLock> gates;

		Client(ClientSettings settings, boolean gated) {
			this.connection = new RawConnection(settings);
			this.release = this.connection.load(RELEASE);
			this.ifFree = SetArgs.Builder.nx().px(settings.lease().toMillis());
			this.gates = gated ? new ConcurrentHashMap<>() : null;
		}

		@Override
		public Held acquire(String name) {
			if (this.gates == null) {
				return acquireFromRedis(name);
			}
			ReentrantLock gate = this.gates.computeIfAbsent(name, (missing) -> new ReentrantLock(true));
			gate.lock();
			Held lock = acquireFromRedis(name);
			return () -> {
				lock.release();
				gate.unlock();
			};
		}

		private Held acquireFromRedis(String name) {
			String key = key(name);
			String token = this.owner + Thread.currentThread().getId();
			while (RawConnection.await(this.connection.commands().set(key, token, this.ifFree)) == null) {
				LockSupport.parkNanos(POLL);
			}
			return () -> this.connection.run(this.release, new String[] { key }, token);
		}

		@Override
		public void close() {
			this.connection.close();
		}

	}

}
