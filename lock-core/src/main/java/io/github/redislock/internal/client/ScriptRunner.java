package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Sends scripts to Redis without blocking the caller.
 */
public interface ScriptRunner extends AutoCloseable {

	/**
	 * The time after which a delayed request is not expected to arrive any more, because
	 * TCP usually gives up earlier.
	 */
	Duration LONGEST_DELAY = Duration.ofMinutes(15);

	/** The time for a reply to a request that is sent at the last moment. */
	Duration LAST_REPLY = Duration.ofMillis(500);

	/**
	 * Run a script, by its digest if Redis knows it. If replicas have to acknowledge the
	 * result, the future completes only when enough of them have done so.
	 * @param timeout how long to wait for the reply
	 * @param sendTimeout how long the script may wait to be sent before it fails: see
	 * {@link #sendTimeout}
	 * @param written tests whether a result means that the script wrote anything that
	 * replicas have to acknowledge; {@code null} if it never does
	 * @return a future with what the script returned: a {@link Long}, or a list of longs
	 * and byte arrays. The future fails with a {@link ReplicationFailure} if too few
	 * replicas have acknowledged the result, and otherwise with the exception of the
	 * client or of the timeout
	 */
	CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration sendTimeout,
			@Nullable Predicate<Object> written);

	/**
	 * Publish a message after all earlier ones. If that fails, the message is lost. The
	 * default does nothing.
	 */
	default void publish(String channel, String message) {
	}

	/**
	 * Return how long a request may wait by default before it is sent.
	 * @param timeout how long the reply may take once the request is sent
	 */
	default Duration sendTimeout(Duration timeout) {
		return timeout;
	}

	/**
	 * Return the timeouts for replies.
	 */
	Timeouts timeouts();

	/**
	 * Return whether {@code PUBLISH} counts all receivers. In a cluster, it counts only
	 * those of one node. The result is {@code false} while this is unknown.
	 */
	boolean countsReceivers();

	/**
	 * Return whether a request may have been sent twice, so that a second copy may still
	 * arrive after the reply.
	 */
	boolean mayArriveTwice();

	@Override
	void close();

}
