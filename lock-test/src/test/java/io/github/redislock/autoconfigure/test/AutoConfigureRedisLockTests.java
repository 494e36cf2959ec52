package io.github.redislock.autoconfigure.test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockHandle;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.test.TestLocks;
import io.github.redislock.testing.OwnThread;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A complete application with a Redis client on its class path, but without a running
 * Redis.
 */
@SpringBootTest(classes = AutoConfigureRedisLockTests.Application.class,
		properties = { "spring.data.redis.port=1", "redis-lock.checks=fail", "redis-lock.retry=0" })
@AutoConfigureRedisLock
@ExtendWith(OutputCaptureExtension.class)
class AutoConfigureRedisLockTests {

	@Autowired
	private Payments payments;

	@Autowired
	private RedisLockTemplate template;

	@Autowired
	private TestLocks locks;

	@Autowired
	private LockTimer timer;

	@Test
	void annotatedMethodIsLocked() {
		this.locks.holdElsewhere("payment:42");

		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.payments.pay("42"));
		assertThat(this.payments.pay("43")).isEqualTo("paid 43");
		assertThat(this.locks.acquired()).containsExactly("payment:43");
	}

	@Test
	void injectedTemplateUsesTheSameLocks() {
		LockHandle lock = this.template.acquire(LockTarget.of("payment:42"), LockOptions.options().reentrant(false));

		CompletableFuture<String> other = CompletableFuture.supplyAsync(() -> this.payments.pay("42"), OwnThread::run);

		assertThat(other).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
		this.locks.lose("payment:42");
		assertThat(lock.isHeld()).isFalse();
	}

	@Test
	void clockIsRealByDefault() {
		assertThat(this.timer).isNotInstanceOf(ManualLockTimer.class);
	}

	@Test
	void methodRunsWithoutWarningOrRefusedConnection(CapturedOutput output) {
		this.payments.pay("42");

		assertThat(output.getOut()).doesNotContainIgnoringCase("WARN").doesNotContain("Connection refused");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Payments.class)
	static class Application {

	}

	static class Payments {

		@DistributedLock(name = "payment", key = "#orderId")
		String pay(String orderId) {
			return "paid " + orderId;
		}

		@EventListener
		void started(ContextRefreshedEvent event) {
			// An application may take locks before the test begins.
			event.getApplicationContext().getBean(Payments.class).pay("start");
		}

	}

}
