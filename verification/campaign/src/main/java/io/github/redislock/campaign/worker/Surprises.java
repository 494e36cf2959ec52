package io.github.redislock.campaign.worker;

import java.util.regex.Pattern;

import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.history.Outcome;
import io.github.redislock.campaign.history.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes the documented errors of a failing store. Records its other errors, and
 * reported deadlocks.
 */
final class Surprises {

	private static final String EVERYWHERE = "the connection to Redis (is down, reconnecting"
			+ "|was not ready within \\d+m?s|broke \\(.*\\))|cannot connect to Redis \\(.*"
			+ "|Redis closed the connection immediately \\(.*"
			+ "|Redis did not reply within \\d+m?s|Redis is loading .*|Redis has lost its data, .*";

	/** Errors while one server replaces another. */
	private static final String REPLACED = "|only \\d replicas acknowledged it within .*"
			+ "|the connection to Redis broke before \\d acknowledgements of replicas arrived .*"
			+ "|this Redis is a (read-only replica|replica that has lost its master).*"
			+ "|this Redis became a replica during the request";

	private static final String CLUSTER = "|Redis Cluster is (down or has no node for|moving) the key.*";

	private static final String QUORUM = "|\\d of 5 Redis nodes replied.*";

	/** Errors after a process or the store paused. */
	private static final String TOO_LATE = "| not acquired: the store's reply came after the lease of .* was over"
			+ "| not acquired: the store has not replied to the latest request yet";

	private final Recorder recorder;

	private final Pattern expected;

	Surprises(Topology topology, Recorder recorder) {
		this.recorder = recorder;
		String causes = EVERYWHERE + switch (topology) {
			case STANDALONE -> "";
			case QUORUM -> QUORUM;
			case SENTINEL -> REPLACED;
			case CLUSTER -> REPLACED + CLUSTER;
		};
		this.expected = Pattern.compile("Lock 'key-\\d+'(: \\w[\\w ]* failed: (%s)%s)".formatted(causes, TOO_LATE));
	}

	void check(Outcome outcome, @Nullable Throwable failure) {
		if (failure instanceof LockNotAcquiredException refusal && refusal.getDeadlock() != null) {
			this.recorder.unexpected(refusal.getDeadlock());
		}
		if (outcome != Outcome.STORE_FAILURE) {
			return;
		}
		String text = (failure != null) ? String.valueOf(failure.getMessage()) : "naive";
		if (failure != null && failure.getClass().getName().startsWith("io.github")
				&& !this.expected.matcher(text).matches()) {
			this.recorder.unexpected(text);
		}
	}

}
