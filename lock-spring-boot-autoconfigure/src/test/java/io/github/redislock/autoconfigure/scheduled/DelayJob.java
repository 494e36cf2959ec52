package io.github.redislock.autoconfigure.scheduled;

import java.time.Duration;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.IfLocked;

import org.springframework.scheduling.annotation.Scheduled;

class DelayJob {

	@Scheduled(fixedDelay = 20)
	@DistributedLock(name = "delay", ifLocked = IfLocked.SKIP)
	public void run() {
		JobRun.work(Duration.ofMillis(50));
	}

}
