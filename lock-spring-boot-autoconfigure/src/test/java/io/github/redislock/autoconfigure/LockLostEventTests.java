package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.event.LockLostEvent;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.redis.RedisLockTemplate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

class LockLostEventTests {

	private static final LockOptions SHORT = LockOptions.options().timeout(Duration.ofSeconds(10)).autoRenew(false);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(RedisLockAutoConfiguration.class,
				RedisLockStoreAutoConfiguration.class, DistributedLockAutoConfiguration.class))
		.withPropertyValues("redis-lock.store=in-memory")
		.withBean(LockTimer.class, ManualLockTimer::new)
		.withBean(Alerts.class);

	@Test
	void applicationReceivesAnEventForALoss() {
		this.runner.run((context) -> {
			context.getBean(RedisLockTemplate.class).acquire(LockTarget.of("job"), SHORT);

			((ManualLockTimer) context.getBean(LockTimer.class)).advance(Duration.ofSeconds(10));

			List<LockLostEvent> events = context.getBean(Alerts.class).events;
			Awaitility.await().until(() -> !events.isEmpty());
			assertThat(events).singleElement().extracting(LockLostEvent::lockName).isEqualTo("job");
		});
	}

	@Test
	void lossCausedByShutdownIsPublished() {
		this.runner.run((context) -> {
			context.getBean(RedisLockTemplate.class).acquire(LockTarget.of("job"), SHORT);
			List<LockLostEvent> events = context.getBean(Alerts.class).events;

			context.close();

			Awaitility.await().until(() -> !events.isEmpty());
			assertThat(events.get(0).reason()).contains("shut down");
		});
	}

	static class Alerts {

		private final List<LockLostEvent> events = new CopyOnWriteArrayList<>();

		@EventListener
		void on(LockLostEvent event) {
			this.events.add(event);
		}

	}

}
