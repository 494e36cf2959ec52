package io.github.redislock.benchmarks.contender;

import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/**
 * The minimum for a free lock with Jedis, which sends the commands of
 * {@link RawContender}. The calling thread itself writes each request and reads its
 * reply, on a connection that no other thread uses at the time.
 */
final class RawJedisContender implements Contender {

	private static final long POLL = TimeUnit.MILLISECONDS.toNanos(1);

	@Override
	public String name() {
		return Contenders.RAW_JEDIS;
	}

	@Override
	public String title() {
		return "raw Jedis";
	}

	@Override
	public LockClient open(ClientSettings settings) {
		return new Client(settings);
	}

	@Override
	public String key(String name) {
		return "raw:" + name;
	}

	private final class Client implements LockClient {

		private final ClientSettings settings;

		/** The connections that no thread uses. A single thread always uses the same. */
		private final Deque<Jedis> idle = new ConcurrentLinkedDeque<>();

		private final String owner = UUID.randomUUID().toString();

		private final SetParams ifFree;

		private final String release;

		Client(ClientSettings settings) {
			this.settings = settings;
			this.ifFree = SetParams.setParams().nx().px(settings.lease().toMillis());
			this.release = call((jedis) -> jedis.scriptLoad(RawContender.RELEASE));
		}

		@Override
		public Held acquire(String name) {
			String key = key(name);
			String token = this.owner + Thread.currentThread().getId();
			while (!call((jedis) -> "OK".equals(jedis.set(key, token, this.ifFree)))) {
				LockSupport.parkNanos(POLL);
			}
			return () -> call((jedis) -> jedis.evalsha(this.release, List.of(key), List.of(token)));
		}

		@Override
		public void close() {
			this.idle.forEach(Jedis::close);
		}

		private <T> T call(Function<Jedis, T> command) {
			Jedis taken = this.idle.poll();
			Jedis jedis = (taken != null) ? taken : new Jedis(this.settings.host(), this.settings.port());
			try {
				return command.apply(jedis);
			}
			finally {
				this.idle.push(jedis);
			}
		}

	}

}
