package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The log messages of one lock. An instance that is handed a lock loses it if the machine
 * stalls for most of a second.
 */
@Tag("fault")
@ExtendWith(RedisServerExtension.class)
class LockStoryTests {

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofMinutes(1))
		.waitTime(Duration.ofMinutes(1));

	private static final String QUEUE = new String(
			new LockKeys("distributed_lock:").of(LockTarget.of("warm-up"), LockKeys.QUEUE).get(1));

	/** Hides the losses of holders in other tests. */
	private static final Logger holds = (Logger) LoggerFactory.getLogger("io.github.redislock.internal.engine.Hold");

	private final LogRecorder log = LogRecorder.traceOf("io.github.redislock");

	private final RedisLockTemplate first = instance("shop-1");

	private final RedisLockTemplate second = instance("shop-2");

	@BeforeEach
	void listenToHolds() {
		holds.setLevel(Level.TRACE);
	}

	@AfterEach
	void close() {
		this.second.close();
		this.first.close();
		this.log.close();
		holds.setLevel(Level.OFF);
	}

	@Test
	void debugMessagesDescribeTheLifeOfALock() throws Exception {
		// An instance does not pass locks on while its subscription begins.
		subscribeSecond();
		LockHandle held = this.first.acquire(LockTarget.of("order:42"), PATIENT);
		CompletableFuture<LockHandle> waiting = CompletableFuture
			.supplyAsync(() -> this.second.acquire(LockTarget.of("order:42"), PATIENT), OwnThread::run);
		awaitLine("'order:42' not available, waiting");
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(
				() -> this.first.acquire(LockTarget.of("order:42"), LockOptions.options().reentrant(false).retry(0)));
		FutureTask<LockHandle> local = new FutureTask<>(() -> this.second.acquire(LockTarget.of("order:42"), PATIENT));
		Thread caller = new Thread(local, "caller");
		caller.start();
		Instances.awaitInLine(this.second, caller, 2);
		held.close();
		LockHandle handedOver = waiting.join();
		handedOver.close();
		LockHandle passedOn = local.get(1, TimeUnit.MINUTES);
		CompletableFuture<Void> lost = new CompletableFuture<>();
		passedOn.onLost(() -> lost.complete(null));
		this.first.forceRelease(LockTarget.of("order:42"));
		lost.join();
		passedOn.release();
		awaitLine("was lost");

		List<String> story = story();
		assertThat(story).containsSubsequence("DEBUG Lock 'order:42' requested: lease <time>, waiting up to <time>",
				"DEBUG Lock 'order:42' granted after <time> (free), fencing token <token>",
				"DEBUG Lock 'order:42' not available, waiting (1 in the queue): held by shop-1 since <instant>,"
						+ " free in <time> if it died",
				"DEBUG Lock 'order:42' not acquired: held by shop-1 since <instant>, free in <time> if it died,"
						+ " 1 instance waiting",
				"DEBUG Lock 'order:42' released after <time> (RELEASED), fencing token <token>",
				"DEBUG Lock 'order:42' released after <time> (RELEASED), fencing token <token>",
				"DEBUG Lock 'order:42' released after <time> (NOT_HELD), fencing token <token>");
		// The next holder may be notified before the previous one receives the reply to
		// its release.
		assertThat(story).containsSubsequence(
				"DEBUG Lock 'order:42' not acquired: held by shop-1 since <instant>, free in <time> if it died,"
						+ " 1 instance waiting",
				"DEBUG Lock 'order:42' granted after <time> (<after> shop-1), fencing token <token>",
				"DEBUG Lock 'order:42' granted after <time> (passed on within this instance), fencing token <token>",
				"DEBUG Lock 'order:42' released after <time> (NOT_HELD), fencing token <token>");
		assertThat(story).filteredOn((line) -> line.startsWith("WARN"))
			.as("nobody else warned of anything")
			.containsExactly(
					"WARN Lock 'order:42' was lost: it was released by force, as reported at <instant>. Work done in"
							+ " the last <time> may not have been protected: check or undo it (fencing token <token>)");
	}

	@Test
	void renewalsAreLoggedAtTrace() {
		LockHandle held = this.first.acquire(LockTarget.of("order:42"),
				LockOptions.options().timeout(Duration.ofSeconds(6)));

		awaitLine("renewed");
		held.close();

		assertThat(story()).contains("TRACE Lock 'order:42' renewed (<time> left on its lease, fencing token <token>)");
	}

	/**
	 * Let the second instance wait until it is certain to be notified of its turn.
	 */
	private void subscribeSecond() {
		LockHandle held = this.first.acquire(LockTarget.of("warm-up"), PATIENT);
		CompletableFuture<ReleaseOutcome> told = CompletableFuture
			.supplyAsync(() -> this.second.acquire(LockTarget.of("warm-up"), PATIENT).release(), OwnThread::run);
		StringRedisTemplate redis = new StringRedisTemplate(TestRedis.shared().connectionFactory());
		// The score of a waiter that polls ends with half a microsecond.
		Instances.await("subscribed")
			.until(() -> Objects.requireNonNull(redis.opsForZSet().rangeWithScores(QUEUE, 0, -1))
				.stream()
				.anyMatch((entry) -> Objects.requireNonNull(entry.getScore()) % 1 != 0.5));
		held.close();
		told.join();
	}

	private List<String> story() {
		return this.log.lines()
			.stream()
			.filter((line) -> line.contains("Lock '"))
			.map((line) -> line.replaceAll("\\d{4}-\\d\\d-\\d\\dT[^ ,]+Z", "<instant>")
				.replaceAll("(handed over by|after) shop-1", "<after> shop-1")
				.replaceAll("token \\d+", "token <token>")
				.replaceAll("(?<=[ (])\\d+(\\.\\d)?(ms|s|m \\d+s|m|h)\\b", "<time>"))
			.toList();
	}

	private void awaitLine(String text) {
		Awaitility.await(text)
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.log.lines().stream().anyMatch((line) -> line.contains(text)));
	}

	private static RedisLockTemplate instance(String name) {
		return new RedisLockTemplate(
				RedisLockStore.create(TestRedis.shared().connectionFactory(), RedisLockStoreOptions.defaults()),
				LockConfiguration.defaults().instance(name).slice(Duration.ofMinutes(1)));
	}

}
