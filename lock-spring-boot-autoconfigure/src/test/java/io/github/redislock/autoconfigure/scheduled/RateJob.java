package io.github.redislock.autoconfigure.scheduled;

import java.time.Duration;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.IfLocked;

import org.springframework.scheduling.annotation.Scheduled;

class RateJob {

	@Scheduled(fixedRate = 100)
	@DistributedLock(name = "rate", ifLocked = IfLocked.SKIP, atLeastFor = "2s")
	public void run() {
		JobRun.work(Duration.ofMillis(10));
	}

}
