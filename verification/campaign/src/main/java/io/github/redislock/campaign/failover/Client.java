package io.github.redislock.campaign.failover;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * An instance of an application that uses one of the libraries.
 */
interface Client extends AutoCloseable {

	/** The value that our documentation recommends. Spring Data's default is a minute. */
	Duration TIMEOUT = Duration.ofSeconds(2);

	/** The token of all holders if their writes are not checked. */
	long UNFENCED = 0;

	/**
	 * Acquire a lock that is renewed until its release.
	 * @param lock the name of the lock
	 * @param wait how long to wait for the lock
	 * @return the lock, or {@code null} if another caller still has it
	 * @throws RuntimeException if the servers failed, in any of the library's own ways
	 */
	@Nullable Grip acquire(String lock, Duration wait);

	@Override
	void close();

	/**
	 * A lock as its holder sees it. Used by the thread that acquired it.
	 */
	interface Grip {

		/**
		 * Return whether the holder may believe that it has the lock.
		 * @throws RuntimeException if the library asks the servers and they fail
		 */
		boolean isValid();

		/**
		 * Return the token with which the holder reads and writes.
		 */
		default long token() {
			return UNFENCED;
		}

		void release();

	}

}
