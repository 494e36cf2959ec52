package io.github.redislock.examples.testing;

import java.time.Duration;

import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;

class NightlyReport {

	private final LockOperations locks;

	NightlyReport(LockOperations locks) {
		this.locks = locks;
	}

	String write() {
		return this.locks.execute(LockTarget.of("nightly"), LockOptions.options().waitTime(Duration.ofMinutes(1)),
				() -> "written");
	}

}
