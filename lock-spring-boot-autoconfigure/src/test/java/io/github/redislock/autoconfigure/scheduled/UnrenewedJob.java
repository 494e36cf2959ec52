package io.github.redislock.autoconfigure.scheduled;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.IfLocked;

import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

class UnrenewedJob {

	static final List<Throwable> FAILURES = new CopyOnWriteArrayList<>();

	@Scheduled(fixedRate = 100)
	@DistributedLock(name = "unrenewed", timeout = "1s", autoRenew = false, ifLocked = IfLocked.SKIP)
	public void run() {
		JobRun.workUntilTheEnd();
	}

	@Bean
	static TaskScheduler taskScheduler() {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.setErrorHandler(FAILURES::add);
		return scheduler;
	}

}
