package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.JedisClients;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Named.named;

/**
 * Waiters whose requests all got replies leave no mark when they stop waiting.
 */
@NeedsRedisServer
@Tag("fault")
class WithdrawalTests {

	private static final int REFUSED_WAITS = Integer.getInteger("refused.waits", 100);

	private static final int AT_ONCE = 50;

	private static final LockOptions OPTIONS = LockOptions.options().timeout(Duration.ofMinutes(1));

	@ParameterizedTest
	@MethodSource("kinds")
	void refusedWaitersLeaveNoMarkIfAllTheirRequestsGotReplies(Function<String, LockTarget> kind, boolean jedis)
			throws Exception {
		try (Instances instances = new Instances()) {
			RedisLockTemplate holder = instances.start();
			RedisLockTemplate waiter = jedis ? overJedis(instances) : instances.start();
			for (int from = 0; from < REFUSED_WAITS; from += AT_ONCE) {
				List<LockTarget> targets = IntStream.range(from, Math.min(from + AT_ONCE, REFUSED_WAITS))
					.mapToObj((index) -> kind.apply("job:" + index))
					.toList();
				targets.forEach((target) -> holder.acquire(LockTarget.of(target.names().get(0)), OPTIONS));
				requireRefused(waiter, targets);
			}

			// This completes pending requests.
			instances.stop(waiter);

			assertThat(tombstones(instances)).isEmpty();
		}
	}

	static Stream<Arguments> kinds() {
		Function<String, LockTarget> alone = LockTarget::of;
		Function<String, LockTarget> shared = (name) -> LockTarget.of(name).forReading();
		Function<String, LockTarget> several = (name) -> LockTarget.allOf(LockTarget.of(name),
				LockTarget.of(name + ":other"));
		return Stream.of(Arguments.of(named("alone", alone), false), Arguments.of(named("shared", shared), false),
				Arguments.of(named("several", several), false), Arguments.of(named("alone", alone), true),
				Arguments.of(named("shared", shared), true));
	}

	private static RedisLockTemplate overJedis(Instances instances) {
		return instances
			.start(JedisClients.connectTo(new RedisStandaloneConfiguration("127.0.0.1", instances.redis.port()), 8));
	}

	private static List<?> tombstones(Instances instances) {
		return (List<?>) instances.redis.command("KEYS", "*:cancel:*");
	}

	private static void requireRefused(RedisLockTemplate waiter, List<LockTarget> targets) throws Exception {
		ExecutorService callers = Executors.newFixedThreadPool(AT_ONCE);
		try {
			List<? extends Future<?>> waits = targets.stream()
				.map((target) -> callers.submit(() -> assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> waiter.acquire(target, OPTIONS.waitTime(Duration.ofMillis(50))))))
				.toList();
			for (Future<?> wait : waits) {
				wait.get();
			}
		}
		finally {
			callers.shutdown();
		}
	}

}
