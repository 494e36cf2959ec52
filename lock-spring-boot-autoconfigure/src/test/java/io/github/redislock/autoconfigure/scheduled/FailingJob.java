package io.github.redislock.autoconfigure.scheduled;

import java.time.Duration;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.IfLocked;

import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

class FailingJob {

	@Bean
	static TaskScheduler taskScheduler() {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.setErrorHandler((failure) -> {
		});
		return scheduler;
	}

	@Scheduled(fixedDelay = 20)
	@DistributedLock(name = "failing", ifLocked = IfLocked.SKIP)
	public void run() {
		JobRun.work(Duration.ofMillis(10));
		throw new IllegalStateException("as planned");
	}

}
