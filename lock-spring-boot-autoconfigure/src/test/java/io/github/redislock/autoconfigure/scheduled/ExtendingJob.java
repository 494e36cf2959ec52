package io.github.redislock.autoconfigure.scheduled;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.IfLocked;

import org.springframework.scheduling.annotation.Scheduled;

class ExtendingJob {

	static final AtomicReference<Duration> REMAINING = new AtomicReference<>();

	@Scheduled(fixedDelay = 100)
	@DistributedLock(name = "extending", autoRenew = false, ifLocked = IfLocked.SKIP)
	public void run() {
		LockHandle lock = LockContext.current();
		lock.renew(Duration.ofMinutes(10));
		REMAINING.compareAndSet(null, lock.remaining());
		JobRun.work(Duration.ZERO);
	}

}
