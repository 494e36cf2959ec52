package io.github.redislock.redis.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Sends scripts to Redis without blocking the caller.
 */
public interface ScriptRunner extends AutoCloseable {

	/** A request is not delayed longer: by then its connection is given up. */
	Duration LONGEST_DELAY = Duration.ofMinutes(15);

	/** What is sent at the last moment must have a chance to be replied to. */
	Duration LAST_ANSWER = Duration.ofMillis(500);

	/**
	 * Run a script, by its digest if Redis knows it. The result completes only when as
	 * many replicas have what the script wrote as the options ask for.
	 * @param timeout within which time the result completes, one way or another
	 * @param patience within which time the script is sent, or never, if it cannot be
	 * sent at once: see {@link #patience}
	 * @param written whether the script wrote anything that counts, by what it returned;
	 * {@code null} if it never does
	 * @return what the script returned: a {@link Long} or a list of longs and byte
	 * arrays. Fails with the client's own exception, or with a {@link ReplicationFailure}
	 * if the script has done its work but too few replicas are known to have it
	 */
	CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration patience,
			@Nullable Predicate<Object> written);

	/**
	 * Publish a message. One that cannot be published is lost.
	 */
	default void publish(byte[] channel, byte[] message) {
	}

	/**
	 * Return how long a request may wait until it is sent, for which no other time is
	 * known.
	 * @param timeout within which time it is to be replied to then
	 */
	default Duration patience(Duration timeout) {
		return timeout;
	}

	/**
	 * Return the time-outs of the wait for replies.
	 */
	Timeouts timeouts();

	/**
	 * Return whether a publication counts all its receivers. In a cluster it counts only
	 * those of one node; as long as nothing is known, none are counted on.
	 */
	boolean countsReceivers();

	/**
	 * Return whether a request that got its reply may have been sent twice, so that a
	 * second copy may arrive later.
	 */
	boolean mayArriveTwice();

	@Override
	void close();

}
