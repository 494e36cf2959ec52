package io.github.redislock.autoconfigure.scheduled;

import java.time.Duration;

import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.JavaProcess;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.Signals;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application is killed while it runs a job that another one also schedules.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("thorough")
class KilledApplicationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final RedisProcess redis = RedisProcess.start();

	@AfterEach
	void stop() {
		JobRun.letAllEnd();
		this.redis.close();
	}

	@Test
	@Tag("promise-processes-die")
	void jobOfAKilledApplicationRunsInTheOtherApplicationAfterTheLease() throws Exception {
		JobRun.forgetAll();
		Process other = Signals
			.start(JavaProcess.of(JobApplication.class, Integer.toString(this.redis.port()), LongJob.class.getName())
				.redirectOutput(ProcessBuilder.Redirect.DISCARD));
		try {
			Awaitility.await()
				.atMost(PATIENCE)
				.until(() -> Long.valueOf(1).equals(this.redis.command("EXISTS", "distributed_lock:long")));
			ConfigurableApplicationContext application = JobApplication.start("127.0.0.1", this.redis.port(),
					LongJob.class);
			try (application) {
				Awaitility.await()
					.during(Duration.ofSeconds(2))
					.atMost(PATIENCE)
					.until(() -> JobRun.begun().isEmpty()
							&& application.getBean(RedisLockTemplate.class).isLocked(LockTarget.of("long")));

				other.destroyForcibly();

				Awaitility.await().atMost(PATIENCE).until(() -> JobRun.begun().size() == 1);
				JobRun.letAllEnd();
			}
		}
		finally {
			other.destroyForcibly();
		}
		assertThat(JobRun.mostTogether()).isEqualTo(1);
	}

}
