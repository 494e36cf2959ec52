package io.github.redislock.redis.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Sends scripts to Redis without blocking the caller.
 */
public interface ScriptRunner extends AutoCloseable {

	/** By then the connection of a delayed request is given up. */
	Duration LONGEST_DELAY = Duration.ofMinutes(15);

	/** A request that is sent at the last moment still needs time for a reply. */
	Duration LAST_ANSWER = Duration.ofMillis(500);

	/**
	 * Run a script, by its digest if Redis knows it. The result completes only when
	 * enough replicas have acknowledged it.
	 * @param timeout the time within which the result completes, or fails
	 * @param patience the time within which the script is sent, or never: see
	 * {@link #patience}
	 * @param written returns from the result whether the script wrote anything that needs
	 * replicas; {@code null} if it never does
	 * @return what the script returned: a {@link Long} or a list of longs and byte
	 * arrays. Fails with the client's own exception, or with a {@link ReplicationFailure}
	 * if too few replicas have acknowledged it
	 */
	CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration patience,
			@Nullable Predicate<Object> written);

	/**
	 * Publish a message after those before it. It is lost on failure.
	 */
	default void publish(String channel, String message) {
	}

	/**
	 * Return the default time that a request may wait before it is sent.
	 * @param timeout the time for its reply after that
	 */
	default Duration patience(Duration timeout) {
		return timeout;
	}

	/**
	 * Return the timeouts for replies.
	 */
	Timeouts timeouts();

	/**
	 * Return whether {@code PUBLISH} counts all receivers. In a cluster it counts only
	 * those of one node; {@code false} while unknown.
	 */
	boolean countsReceivers();

	/**
	 * Return whether a request with a reply may have been sent twice, so that a second
	 * copy may still arrive.
	 */
	boolean mayArriveTwice();

	@Override
	void close();

}
