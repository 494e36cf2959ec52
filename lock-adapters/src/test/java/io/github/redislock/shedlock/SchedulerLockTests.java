package io.github.redislock.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code @SchedulerLock} in two applications that run the same jobs.
 */
@ExtendWith(RedisServerExtension.class)
class SchedulerLockTests {

	/** When the job ran in either application. */
	private static final List<Instant> RUNS = new CopyOnWriteArrayList<>();

	private final List<AnnotationConfigApplicationContext> applications = new ArrayList<>();

	@AfterEach
	void stop() {
		this.applications.forEach(AnnotationConfigApplicationContext::close);
		RUNS.clear();
	}

	@Test
	void runsOfAJobInTwoApplicationsAreMoreThanASecondApart() {
		start(Application.class);
		start(Application.class);

		Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> RUNS.size() >= 3);

		List<Instant> runs = List.copyOf(RUNS);
		assertThat(IntStream.range(1, runs.size())).allSatisfy((index) -> {
			Duration pause = Duration.between(runs.get(index - 1), runs.get(index));
			assertThat(pause).as("pause before run %d of %s", index, runs).isGreaterThan(Duration.ofSeconds(1));
		});
	}

	@Test
	void jobIsSkippedWhileAnotherOwnerHoldsItsLock() {
		AnnotationConfigApplicationContext application = start(Callable.class);
		LockOperations locks = application.getBean(LockOperations.class);
		Jobs jobs = application.getBean(Jobs.class);

		try (LockHandle lock = locks.acquire(LockTarget.of("called"))) {
			assertThat(lock.isHeld()).isTrue();
			assertThat(jobs.text()).isNull();
			assertThat(jobs.optional()).isEmpty();
		}

		assertThat(jobs.text()).isEqualTo("done");
		assertThat(jobs.optional()).contains("done");
	}

	private AnnotationConfigApplicationContext start(Class<?> configuration) {
		AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext(configuration);
		this.applications.add(application);
		return application;
	}

	@Configuration
	@EnableSchedulerLock(defaultLockAtMostFor = "1m")
	static class Callable {

		@Bean
		RedisLockTemplate locks() {
			return new RedisLockTemplate(TestRedis.shared().connectionFactory());
		}

		@Bean
		LockProvider lockProvider(LockOperations locks) {
			return new DistributedLockProvider(locks);
		}

		@Bean
		Jobs jobs() {
			return new Jobs();
		}

	}

	@Configuration
	@EnableScheduling
	static class Application extends Callable {

	}

	static class Jobs {

		@Scheduled(fixedRate = 50)
		@SchedulerLock(name = "scheduled", lockAtMostFor = "1m", lockAtLeastFor = "2500ms")
		public void run() {
			LockAssert.assertLocked();
			RUNS.add(Instant.now());
		}

		@SchedulerLock(name = "called")
		public String text() {
			return "done";
		}

		@SchedulerLock(name = "called")
		public Optional<String> optional() {
			return Optional.of("done");
		}

	}

}
