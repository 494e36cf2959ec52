package io.github.redislock.redis;

import java.time.Duration;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;

/**
 * An example of resuming a lock.
 */
record ResumableImport(LockOperations locks, Catalogue catalogue) {

	// One for each import, kept where the process that resumes it finds it.
	private static LockOptions heldBy(String job) {
		return LockOptions.options().timeout(Duration.ofMinutes(5)).owner(job);
	}

	public void run(String job) {
		try (LockHandle lock = locks().acquire(LockTarget.of("import"), heldBy(job))) {
			catalogue().importAll(lock);
		}
	}

	public void resume(String job) {
		try (LockHandle lock = locks().acquire(LockTarget.of("import"), heldBy(job).retry(0))) {
			catalogue().importRest(lock);
		}
	}

	/**
	 * The work under the lock.
	 */
	interface Catalogue {

		void importAll(LockHandle lock);

		void importRest(LockHandle lock);

	}

}
