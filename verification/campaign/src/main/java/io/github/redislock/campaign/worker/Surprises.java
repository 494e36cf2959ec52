package io.github.redislock.campaign.worker;

import java.util.regex.Pattern;

import io.github.redislock.campaign.history.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * Knows what a store that fails may say, and writes down everything else.
 */
final class Surprises {

	private static final Pattern EXPECTED = Pattern.compile("Lock 'key-\\d+'(: \\w[\\w ]* failed: "
			+ "(the connection to Redis (is down, reconnecting|was not ready within \\d+ ms|broke \\(.*\\))"
			+ "|Redis cannot be reached, .*|Redis did not answer within \\d+ ms|Redis is loading .*"
			+ "|Redis has lost its data, .*)"
			+ "| not acquired: the store's answer came after the lease of .* was over)");

	private Surprises() {
	}

	static void check(@Nullable Throwable failure, Recorder recorder) {
		String text = (failure != null) ? String.valueOf(failure.getMessage()) : "naive";
		if (failure != null && failure.getClass().getName().startsWith("io.github")
				&& !EXPECTED.matcher(text).matches()) {
			recorder.unexpected(text);
		}
	}

}
