package io.github.redislock.benchmarks.runner;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.redis.RedisServer;
import io.github.redislock.benchmarks.report.Metrics;
import io.github.redislock.benchmarks.stats.Histogram;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.redis.quorum.QuorumLockStore;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A free lock on a quorum of five servers, first with all servers up, then with two
 * frozen, then with two killed.
 */
final class QuorumCase implements Case {

	private static final int SERVERS = 5;

	private static final int LOST = 2;

	private static final LockOptions OPTIONS = LockOptions.options()
		.timeout(Duration.ofSeconds(30))
		.waitTime(Duration.ofSeconds(30));

	@Override
	public String name() {
		return "quorum";
	}

	@Override
	public String title() {
		return "A free lock on a quorum of 5: acquisition with all up, 2 frozen, 2 killed";
	}

	@Override
	public List<String> contenders() {
		return List.of(Contenders.OURS);
	}

	@Override
	public String obstacle() {
		return RedisServer.isProcess() ? "" : "no redis-server is installed that can be frozen";
	}

	@Override
	public Run prepare(Bench bench, Contender contender) {
		return new QuorumRun(bench);
	}

	/**
	 * Starts new servers for each round, because a round kills some of them.
	 */
	private record QuorumRun(Bench bench) implements Run {

		@Override
		public Map<String, Double> round() throws Exception {
			List<RedisServer> servers = new ArrayList<>();
			for (int server = 0; server < SERVERS; server++) {
				servers.add(RedisServer.start(RedisServer.PROGRAM));
			}
			List<LettuceConnectionFactory> factories = servers.stream().map(QuorumRun::connectionFactory).toList();
			Map<String, Double> values = new LinkedHashMap<>();
			try (RedisLockTemplate locks = new RedisLockTemplate(
					QuorumLockStore.create(factories,
							RedisLockStoreOptions.quorum().coldStartQuarantine(Duration.ZERO)),
					LockConfiguration.defaults())) {
				measure(locks, Metrics.ACQUIRE_OF_ALL, values);
				for (RedisServer server : servers.subList(0, LOST)) {
					server.freeze();
				}
				measure(locks, Metrics.ACQUIRE_TWO_FROZEN, values);
				for (RedisServer server : servers.subList(0, LOST)) {
					server.close();
				}
				measure(locks, Metrics.ACQUIRE_TWO_KILLED, values);
			}
			finally {
				factories.forEach(LettuceConnectionFactory::destroy);
				for (RedisServer server : servers) {
					server.close();
				}
			}
			return values;
		}

		private void measure(RedisLockTemplate locks, String metric, Map<String, Double> values) {
			acquire(locks, this.bench.pace().warmUp());
			Histogram times = acquire(locks, this.bench.pace().window());
			values.put(metric + Metrics.P50, times.percentile(0.5) / TimeUnit.MICROSECONDS.toNanos(1));
			values.put(metric + Metrics.P99, times.percentile(0.99) / TimeUnit.MICROSECONDS.toNanos(1));
		}

		/**
		 * Acquire and release a lock repeatedly for a while.
		 * @return the times of the acquisitions
		 */
		private static Histogram acquire(RedisLockTemplate locks, Duration length) {
			Histogram times = new Histogram();
			long end = System.nanoTime() + length.toNanos();
			for (long begin = System.nanoTime(); begin < end; begin = System.nanoTime()) {
				LockHandle lock = locks.acquire(LockTarget.of("quorum"), OPTIONS);
				times.add(System.nanoTime() - begin);
				lock.close();
			}
			return times;
		}

		private static LettuceConnectionFactory connectionFactory(RedisServer server) {
			LettuceConnectionFactory factory = new LettuceConnectionFactory(
					new RedisStandaloneConfiguration(server.host(), server.port()));
			factory.afterPropertiesSet();
			factory.start();
			return factory;
		}

		@Override
		public void close() {
		}

	}

}
