package io.github.redislock.autoconfigure.scheduled;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.IfLocked;

import org.springframework.scheduling.annotation.Scheduled;

class LongJob {

	@Scheduled(fixedRate = 100)
	@DistributedLock(name = "long", timeout = "5s", ifLocked = IfLocked.SKIP)
	public void run() {
		JobRun.workUntilTheEnd();
	}

}
