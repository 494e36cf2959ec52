package io.github.redislock.autoconfigure.scheduled;

import java.time.Duration;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.IfLocked;

import org.springframework.scheduling.annotation.Scheduled;

class CronJob {

	@Scheduled(cron = "* * * * * *")
	@DistributedLock(name = "cron", ifLocked = IfLocked.SKIP, atLeastFor = "900ms")
	public void run() {
		JobRun.work(Duration.ZERO);
	}

}
