package io.github.redislock.autoconfigure;

import java.time.Duration;

import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.redis.RedisLockTemplate;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application that is restarted repeatedly in one JVM, each time with a new class
 * loader, and that holds locks and waits for some at each shutdown.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class RestartedApplication {

	static final int LOCKS = 5;

	/**
	 * Start the application.
	 */
	public static ConfigurableApplicationContext start(String port) throws InterruptedException {
		ConfigurableApplicationContext context = new SpringApplicationBuilder(RestartedApplication.class)
			.web(WebApplicationType.NONE)
			.registerShutdownHook(false)
			.run("--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + port,
					"--spring.main.banner-mode=off");
		RedisLockTemplate locks = context.getBean(RedisLockTemplate.class);
		LockOptions patient = LockOptions.options().timeout(Duration.ofMinutes(1)).waitTime(Duration.ofMinutes(5));
		context.getBean(Job.class).run("once");
		for (int number = 0; number < LOCKS; number++) {
			String name = "job-" + number;
			locks.acquire(LockTarget.of(name), patient).onLost(Job::hearOfLoss);
			Thread waiter = new Thread(() -> {
				try {
					locks.acquire(LockTarget.of(name), patient);
				}
				catch (LockShutdownException ex) {
					// The application is shutting down.
				}
			}, "waiter");
			waiter.start();
			while (waiter.getState() != Thread.State.WAITING) {
				Thread.onSpinWait();
			}
		}
		return context;
	}

	@Bean
	Job job() {
		return new Job();
	}

	/**
	 * A locked bean.
	 */
	public static class Job {

		static void hearOfLoss() {
			// Keeps this class reachable for as long as the library remembers the lock.
		}

		@DistributedLock(name = "report", key = "#name", waitTime = "1m")
		public void run(String name) {
		}

	}

}
