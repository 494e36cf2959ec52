package io.github.redislock.benchmarks.runner;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.redis.RedisConsole;
import io.github.redislock.benchmarks.redis.RedisServer;
import io.github.redislock.benchmarks.report.Metrics;
import io.github.redislock.benchmarks.stats.Histogram;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockStoreOptions.Channels;
import io.github.redislock.redis.RedisLockTemplate;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Two instances hand a lock to each other where Redis refuses messages of scripts to the
 * channel of an instance: once with that channel anyway, and once with a channel in the
 * slot of the lock.
 */
final class SlotChannelsCase implements Case {

	/** Some take a second. */
	private static final int LEAST_HAND_OVERS = 5;

	@Override
	public String name() {
		return "slot-channels";
	}

	@Override
	public String title() {
		return "One key, 2 instances, plain channels refused: hand-over without and with channels in the slot";
	}

	@Override
	public List<String> contenders() {
		return List.of(Contenders.OURS);
	}

	@Override
	public Run prepare(Bench bench, Contender contender) throws Exception {
		return new SlotChannelsRun(bench, RedisServer.start(null));
	}

	private record SlotChannelsRun(Bench bench, RedisServer server) implements Run {

		private static final String PASSWORD = "secret";

		@Override
		public Map<String, Double> round() {
			try (RedisConsole console = this.server.console()) {
				console.bindChannelsToSlots(PASSWORD);
			}
			Map<String, Double> values = new LinkedHashMap<>();
			measure(Channels.PLAIN, Metrics.HAND_OVER_REFUSED, values);
			measure(Channels.AUTO, Metrics.HAND_OVER_BOUND, values);
			return values;
		}

		private void measure(Channels channels, String metric, Map<String, Double> values) {
			RedisStandaloneConfiguration login = new RedisStandaloneConfiguration(this.server.host(),
					this.server.port());
			login.setPassword(PASSWORD);
			login.setUsername(RedisConsole.BOUND_USER);
			LettuceConnectionFactory factory = new LettuceConnectionFactory(login);
			factory.afterPropertiesSet();
			factory.start();
			try (RedisLockTemplate first = template(factory, channels);
					RedisLockTemplate second = template(factory, channels)) {
				handOver(List.of(first, second), this.bench.pace().warmUp());
				Histogram times = handOver(List.of(first, second), this.bench.pace().window());
				values.put(metric + Metrics.P50, times.percentile(0.5) / TimeUnit.MICROSECONDS.toNanos(1));
				values.put(metric + Metrics.P99, times.percentile(0.99) / TimeUnit.MICROSECONDS.toNanos(1));
			}
			finally {
				factory.destroy();
			}
		}

		private static RedisLockTemplate template(LettuceConnectionFactory factory, Channels channels) {
			return new RedisLockTemplate(
					RedisLockStore.create(factory, RedisLockStoreOptions.defaults().channels(channels)),
					LockConfiguration.defaults());
		}

		/**
		 * Acquire and release on all instances for a while.
		 * @return the times of the hand-overs
		 */
		private static Histogram handOver(List<RedisLockTemplate> instances, Duration length) {
			Course course = new Course(System.nanoTime() + length.toNanos());
			List<CompletableFuture<Void>> ends = IntStream.range(0, instances.size())
				.mapToObj((number) -> CompletableFuture.runAsync(() -> course.run(number, instances.get(number)),
						(task) -> new Thread(task).start()))
				.toList();
			ends.forEach(CompletableFuture::join);
			return course.times;
		}

		@Override
		public void close() throws Exception {
			this.server.close();
		}

	}

	/**
	 * The path of the lock. All its state is guarded by the lock itself.
	 */
	private static final class Course {

		private static final LockOptions OPTIONS = LockOptions.options()
			.timeout(Duration.ofSeconds(30))
			.waitTime(Duration.ofMinutes(1));

		private final long end;

		private final Histogram times = new Histogram();

		/** The number of the instance that had the lock last. */
		private int last = -1;

		private long left;

		private int ended;

		Course(long end) {
			this.end = end;
		}

		void run(int number, RedisLockTemplate locks) {
			boolean more = true;
			while (more) {
				LockHandle lock = locks.acquire("slot-channels", OPTIONS);
				long entered = System.nanoTime();
				// The last instance runs alone and takes it from no other.
				if (this.last != -1 && this.last != number && this.ended == 0) {
					this.times.add(entered - this.left);
				}
				more = this.ended == 0 && (entered - this.end < 0 || this.times.count() < LEAST_HAND_OVERS);
				this.ended += more ? 0 : 1;
				this.last = number;
				this.left = System.nanoTime();
				lock.close();
			}
		}

	}

}
