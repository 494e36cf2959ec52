package io.github.redislock.migrating;

import java.time.Duration;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;

class FromRedisPy {

	private final Catalogue catalogue;

	private final LockOperations locks;

	FromRedisPy(Catalogue catalogue, LockOperations locks) {
		this.catalogue = catalogue;
		this.locks = locks;
	}

	void write(String order) {
		LockOptions options = LockOptions.options().timeout(Duration.ofSeconds(30)).waitTime(Duration.ofSeconds(5));
		try (LockHandle lock = this.locks.acquire(LockTarget.of("order", order), options)) {
			this.catalogue.write(order, lock.fencingToken());
		}
	}

	void takeOver(String job, String token) {
		LockOptions known = LockOptions.options().timeout(Duration.ofSeconds(30)).owner(token);
		try (LockHandle lock = this.locks.acquire(LockTarget.of("job", job), known)) {
			this.catalogue.write(job, lock.fencingToken());
		}
	}

}
