package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application is closed while work under a lock still runs on a thread for which
 * Spring does not wait.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-10")
class WorkAtShutdownTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final String ENGINE = "io.github.redislock.internal.engine.Shutdown";

	private static final LockOptions PATIENT = LockOptions.options().waitTime(Duration.ofMinutes(5));

	private final RedisProcess redis = RedisProcess.start();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private final CountDownLatch begun = new CountDownLatch(1);

	private final CountDownLatch end = new CountDownLatch(1);

	@AfterEach
	void stop() {
		this.end.countDown();
		this.threads.shutdownNow();
		this.redis.close();
	}

	@Test
	void workKeepsItsLockUntilItHasEnded() throws Exception {
		ConfigurableApplicationContext closed = start();
		try (ConfigurableApplicationContext other = start(); LogRecorder log = LogRecorder.debugOf(ENGINE)) {
			RedisLockTemplate locks = closed.getBean(RedisLockTemplate.class);
			CompletableFuture<Void> work = CompletableFuture.runAsync(() -> locks.execute("job", this::work),
					this.threads);
			this.begun.await();
			CompletableFuture<LockHandle> waiter = CompletableFuture
				.supplyAsync(() -> locks.acquire(LockTarget.of("job"), PATIENT), this.threads);
			Awaitility.await().until(() -> !locks.local().waiting().isEmpty());
			CompletableFuture<Void> closing = CompletableFuture.runAsync(closed::close, this.threads);

			LockHandle next = other.getBean(RedisLockTemplate.class)
				.tryAcquire(LockTarget.of("job"), LockOptions.options().waitTime(Duration.ofMillis(1500)));

			assertThat(next).isNull();
			assertThat(waiter).failsWithin(PATIENCE)
				.withThrowableThat()
				.havingRootCause()
				.isInstanceOf(LockShutdownException.class);
			assertThat(work).isNotDone();
			this.end.countDown();
			assertThat(work).succeedsWithin(PATIENCE);
			assertThat(closing).succeedsWithin(PATIENCE);
			other.getBean(RedisLockTemplate.class).acquire(LockTarget.of("job"), PATIENT).close();
			assertThat(log.text()).contains("Waiting up to 30s for holds to end (1), among them [job]");
		}
	}

	@Test
	void workLosesItsLockWhenTheShutdownPhaseTimesOut() throws Exception {
		ConfigurableApplicationContext closed = start("--spring.lifecycle.timeout-per-shutdown-phase=700ms");
		RedisLockTemplate locks = closed.getBean(RedisLockTemplate.class);
		CompletableFuture<Void> work = CompletableFuture.runAsync(() -> locks.execute("job", this::work), this.threads);
		this.begun.await();

		assertThat(logOfClosing(closed)).contains("Waiting up to 700ms for holds to end (1), among them [job]");
		this.end.countDown();
		assertThat(work).failsWithin(PATIENCE)
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(LockLostException.class);
	}

	@Test
	void configuredCloseWaitTakesPrecedence() throws Exception {
		ConfigurableApplicationContext closed = start("--redis-lock.close-wait=200ms");
		RedisLockTemplate locks = closed.getBean(RedisLockTemplate.class);
		CompletableFuture.runAsync(() -> locks.execute("job", this::work), this.threads);
		this.begun.await();

		assertThat(logOfClosing(closed)).contains("Waiting up to 200ms for holds to end (1), among them [job]");
	}

	@Test
	void lifecyclePhaseIsBelowThoseOfServersAndSchedulers() {
		try (ConfigurableApplicationContext context = start()) {
			assertThat(context.getBean(RedisLockTemplateLifecycle.class).getPhase())
				.isLessThan(ExecutorConfigurationSupport.DEFAULT_PHASE)
				.isLessThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE);
		}
	}

	private void work() {
		this.begun.countDown();
		try {
			this.end.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private String logOfClosing(ConfigurableApplicationContext context) {
		try (LogRecorder log = LogRecorder.debugOf(ENGINE)) {
			CompletableFuture<Void> closing = CompletableFuture.runAsync(context::close, this.threads);
			assertThat(closing).succeedsWithin(Duration.ofSeconds(20));
			return log.text();
		}
	}

	private ConfigurableApplicationContext start(String... arguments) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + this.redis.port(),
					"spring.main.banner-mode=off")
			.run(arguments);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
