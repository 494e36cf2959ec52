package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application shuts down while it holds locks and waits for others.
 */
@NeedsRedisServer
@Tag("fault")
@ExtendWith(OutputCaptureExtension.class)
@Tag("promise-10")
class ContextCloseTests {

	private static final int LOCKS = 50;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	/** A second, the wait for the holders, and some time for a busy machine. */
	private static final Duration SOON = Duration.ofSeconds(10);

	private final RedisProcess redis = RedisProcess.start();

	private final Set<Thread> threadsBefore = threads();

	private final List<CompletableFuture<Throwable>> waiters = new ArrayList<>();

	private final AtomicInteger losses = new AtomicInteger();

	private List<LockHandle> held;

	private ConfigurableApplicationContext context;

	@BeforeEach
	void holdAndWait() {
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.run("--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + this.redis.port(),
					"--spring.main.banner-mode=off", "--redis-lock.close-wait=500ms");
		RedisLockTemplate locks = this.context.getBean(RedisLockTemplate.class);
		LockOptions patient = LockOptions.options().timeout(Duration.ofMinutes(1)).waitTime(Duration.ofMinutes(5));
		this.held = IntStream.range(0, LOCKS)
			.mapToObj((number) -> locks.acquire(LockTarget.of("job-" + number), patient))
			.toList();
		this.held.forEach((lock) -> lock.onLost(this.losses::incrementAndGet));
		List<Thread> threads = new ArrayList<>();
		for (LockHandle lock : this.held) {
			CompletableFuture<Throwable> ended = new CompletableFuture<>();
			this.waiters.add(ended);
			Thread thread = new Thread(() -> {
				try {
					locks.acquire(lock.target(), patient).close();
					ended.complete(new AssertionError("got the lock"));
				}
				catch (Throwable ex) {
					ended.complete(ex);
				}
			}, "waiter");
			thread.setDaemon(true);
			thread.start();
			threads.add(thread);
		}
		Awaitility.await("all wait")
			.atMost(PATIENCE)
			.until(() -> threads.stream().allMatch((thread) -> thread.getState() == Thread.State.WAITING));
	}

	@AfterEach
	void stop() {
		// A caller that has lost a lock must still release it. Until then, its thread
		// commits no transaction.
		this.held.forEach(LockHandle::release);
		this.redis.close();
	}

	@Test
	void closingReleasesAllLocksAndNotifiesWaitersAndHolders(CapturedOutput output) {
		assertThat(keys()).hasSize(LOCKS);
		long begin = System.nanoTime();
		CompletableFuture<Void> closing = CompletableFuture.runAsync(this.context::close, OwnThread::run);

		Awaitility.await("released")
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(10))
			.atMost(PATIENCE)
			.until(() -> keys().isEmpty());
		Duration taken = Duration.ofNanos(System.nanoTime() - begin);

		assertThat(closing).succeedsWithin(PATIENCE);
		System.out.printf("[close] %d locks released after %d ms, closed after %d ms%n", LOCKS, taken.toMillis(),
				Duration.ofNanos(System.nanoTime() - begin).toMillis());
		assertThat(taken).isLessThan(SOON);
		assertWaitersTold();
		assertHoldersTold();
		assertThat(output).doesNotContain("\tat ");
		awaitThreadsEnded();
	}

	@Test
	void shutdownEndsInTimeWhileRedisIsFrozen() {
		this.redis.freeze();

		assertClosesWithin(Duration.ofSeconds(20), "Redis frozen");

		assertWaitersTold();
		assertHoldersTold();
		this.redis.thaw();
		awaitThreadsEnded();
	}

	@Test
	@Tag("thorough")
	void shutdownEndsInTimeWhileRedisIsDown() {
		this.redis.kill();

		assertClosesWithin(Duration.ofSeconds(20), "Redis dead");

		assertWaitersTold();
		assertHoldersTold();
		awaitThreadsEnded();
	}

	private void assertClosesWithin(Duration bound, String what) {
		long begin = System.nanoTime();
		CompletableFuture<Void> closing = CompletableFuture.runAsync(this.context::close, OwnThread::run);

		assertThat(closing).succeedsWithin(bound);

		System.out.printf("[close] %s: closed after %d ms%n", what,
				Duration.ofNanos(System.nanoTime() - begin).toMillis());
	}

	private void assertWaitersTold() {
		assertThat(this.waiters).allSatisfy((waiter) -> assertThat(waiter).succeedsWithin(PATIENCE)
			.isInstanceOf(LockShutdownException.class)
			.satisfies((reason) -> assertThat(reason).hasMessageContaining("shutting down")));
	}

	private void assertHoldersTold() {
		assertThat(this.held).noneMatch(LockHandle::isHeld);
		Awaitility.await("losses reported").atMost(PATIENCE).until(() -> this.losses.get() == LOCKS);
	}

	private void awaitThreadsEnded() {
		Awaitility.await("threads end")
			.atMost(PATIENCE)
			.untilAsserted(() -> assertThat(ownThreads(this.threadsBefore)).isEmpty());
	}

	private List<?> keys() {
		return (List<?>) this.redis.command("KEYS", "distributed_lock:*");
	}

	/**
	 * Return the new threads of the locks and the Redis client, with what they do.
	 */
	private static Set<String> ownThreads(Set<Thread> before) {
		Set<Thread> now = threads();
		now.removeAll(before);
		return now.stream()
			.filter((thread) -> thread.getName().startsWith("redis-lock") || thread.getName().startsWith("lettuce"))
			.map((thread) -> thread.getName() + " in " + List.of(thread.getStackTrace()))
			.collect(Collectors.toSet());
	}

	private static Set<Thread> threads() {
		return new HashSet<>(Thread.getAllStackTraces().keySet());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
