package io.github.redislock.autoconfigure.scheduled;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.redislock.LockLostException;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two applications schedule the same job, and run it one at a time.
 */
class ScheduledJobTests {

	private final List<ConfigurableApplicationContext> applications = new ArrayList<>();

	@BeforeEach
	void begin() {
		TestRedis.shared().reset();
		JobRun.forgetAll();
	}

	@AfterEach
	void stop() {
		JobRun.letAllEnd();
		this.applications.forEach(ConfigurableApplicationContext::close);
	}

	@Test
	void eachCronTickRunsInOnlyOneApplication() {
		startTwo(CronJob.class);

		await().until(() -> JobRun.begun().size() >= 4);

		assertThatPausesAreAtLeast(Duration.ofMillis(900));
	}

	@Test
	@Tag("promise-processes-renew")
	void lockOfALongJobIsRenewedWhileTheOtherApplicationSkipsTheJob() {
		startTwo(LongJob.class);
		await().until(() -> JobRun.begun().size() == 1);

		// The lease is five seconds.
		Awaitility.await()
			.during(Duration.ofSeconds(6))
			.atMost(Duration.ofSeconds(30))
			.until(() -> JobRun.begun().size() == 1 && locks().isLocked(LockTarget.of("long")));

		JobRun.letAllEnd();
		await().until(() -> JobRun.begun().size() > 1);
		assertThat(JobRun.mostTogether()).isEqualTo(1);
	}

	@Test
	void jobWithoutRenewalLosesItsLockAfterItsLeaseAndFails() {
		startTwo(UnrenewedJob.class);

		await().until(() -> JobRun.begun().size() == 2);
		JobRun.letAllEnd();

		assertThat(JobRun.mostTogether()).isEqualTo(2);
		await().until(() -> UnrenewedJob.FAILURES.stream().anyMatch(LockLostException.class::isInstance));
	}

	private static void assertThatPausesAreAtLeast(Duration pause) {
		// A fencing token shows the microsecond of Redis' clock at which a run got the
		// lock.
		List<Long> grants = JobRun.begun().stream().map(JobRun::token).sorted().collect(Collectors.toList());
		assertThat(IntStream.range(1, grants.size())).allSatisfy((index) -> {
			long between = grants.get(index) - grants.get(index - 1);
			assertThat(between).as("microseconds before run %d of %s", index, grants)
				.isGreaterThanOrEqualTo(pause.toNanos() / 1_000);
		});
	}

	private RedisLockTemplate locks() {
		return this.applications.get(0).getBean(RedisLockTemplate.class);
	}

	private void startTwo(Class<?> job) {
		start(job);
		start(job);
	}

	private void start(Class<?> job) {
		this.applications.add(JobApplication.start(TestRedis.shared().host(), TestRedis.shared().port(), job));
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20));
	}

}
