package io.github.redislock.campaign.worker;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.redislock.ReleaseOutcome;
import io.github.redislock.campaign.history.Outcome;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * The usual hand-written lock: {@code SET NX PX}, a counter for tokens, a comparison
 * before the delete, a watchdog that renews the lock, and retries until it is granted.
 */
final class NaiveLocks implements Locks {

	private static final String DELETE = """
			if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
			return redis.call('DEL', KEYS[1])""";

	private static final String RENEW = """
			if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
			return redis.call('PEXPIRE', KEYS[1], ARGV[2])""";

	private final ScheduledExecutorService watchdog = Executors.newSingleThreadScheduledExecutor((task) -> {
		Thread thread = new Thread(task, "watchdog");
		thread.setDaemon(true);
		return thread;
	});

	private final RedisClient client;

	private final RedisCommands<String, String> redis;

	private final Duration lease;

	NaiveLocks(Setup setup) {
		this.client = RedisClient.create(RedisURI.builder()
			.withHost("127.0.0.1")
			.withPort(setup.redis().route(setup.redis().entrances().get(0)))
			.withTimeout(setup.lease())
			.build());
		this.redis = connect(this.client);
		this.lease = setup.lease();
	}

	/**
	 * Connect to a server that may be down.
	 */
	private static RedisCommands<String, String> connect(RedisClient client) {
		while (true) {
			try {
				return client.connect().sync();
			}
			catch (RedisException ex) {
				Pause.of(Duration.ofMillis(50));
			}
		}
	}

	@Override
	public Held acquire(Want want) throws DeniedException {
		String owner = UUID.randomUUID().toString();
		long end = System.nanoTime() + want.waitTime().toNanos();
		try {
			while (this.redis.set(want.key(), owner, SetArgs.Builder.nx().px(this.lease.toMillis())) == null) {
				if (System.nanoTime() - end > 0) {
					throw new DeniedException(Outcome.REFUSED, null, null);
				}
				Pause.of(Duration.ofMillis(10));
			}
			return new NaiveHold(want.key(), owner, this.redis.incr("token:" + want.key()));
		}
		catch (RedisCommandInterruptedException ex) {
			throw new DeniedException(Outcome.INTERRUPTED, null, ex);
		}
		catch (RedisException ex) {
			throw new DeniedException(Outcome.STORE_FAILURE, null, ex);
		}
	}

	@Override
	public void close() {
		this.watchdog.shutdownNow();
		this.client.shutdown(0, 1, TimeUnit.SECONDS);
	}

	private final class NaiveHold implements Held {

		private final String key;

		private final String owner;

		private final long token;

		private final Future<?> renewal;

		private volatile boolean released;

		NaiveHold(String key, String owner, long token) {
			this.key = key;
			this.owner = owner;
			this.token = token;
			long third = NaiveLocks.this.lease.toMillis() / 3;
			this.renewal = NaiveLocks.this.watchdog.scheduleWithFixedDelay(this::renew, third, third,
					TimeUnit.MILLISECONDS);
		}

		@Override
		public long token() {
			return this.token;
		}

		@Override
		public String owner() {
			return this.owner;
		}

		@Override
		public boolean isHeld() {
			return !this.released;
		}

		@Override
		public Duration remaining() {
			// A naive lock does not know how much longer it is held.
			return Duration.ofHours(1);
		}

		@Override
		public void renew(Duration lease) {
			renew();
		}

		@Override
		public void extend(Duration additional) {
			renew();
		}

		@Override
		public ReleaseOutcome release() {
			this.released = true;
			this.renewal.cancel(false);
			try {
				Long deleted = NaiveLocks.this.redis.eval(DELETE, ScriptOutputType.INTEGER, new String[] { this.key },
						this.owner);
				return (deleted == 1) ? ReleaseOutcome.RELEASED : ReleaseOutcome.NOT_HELD;
			}
			catch (RedisException ex) {
				return ReleaseOutcome.UNKNOWN;
			}
		}

		private void renew() {
			try {
				NaiveLocks.this.redis.eval(RENEW, ScriptOutputType.INTEGER, new String[] { this.key }, this.owner,
						Long.toString(NaiveLocks.this.lease.toMillis()));
			}
			catch (RedisException ex) {
				// The next renewal may succeed.
			}
		}

	}

}
