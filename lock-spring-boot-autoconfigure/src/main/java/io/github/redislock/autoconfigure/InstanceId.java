package io.github.redislock.autoconfigure;

import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Creates the name under which other instances see this instance, such as
 * {@code orders@web-1:4711}.
 */
final class InstanceId {

	private static final int MAX_LENGTH = 128;

	private static final int MAX_APPLICATION_LENGTH = 60;

	private InstanceId() {
	}

	static String of(@Nullable String application) {
		return of(application, System.getenv(), ProcessHandle.current().pid());
	}

	/**
	 * Return a readable name.
	 * <p>
	 * The host comes from the environment ({@code HOSTNAME}, or {@code COMPUTERNAME} on
	 * Windows), because asking the network for it can take seconds. In containers, the
	 * host distinguishes the instances, because their process ids are often the same.
	 */
	static String of(@Nullable String application, Map<String, String> environment, long pid) {
		String host = environment.getOrDefault("HOSTNAME", environment.getOrDefault("COMPUTERNAME", ""));
		String name = sanitize((application != null) ? application : "", MAX_APPLICATION_LENGTH);
		String process = host.isBlank() ? "pid-" + pid : ":" + pid;
		int room = MAX_LENGTH - MAX_APPLICATION_LENGTH - process.length() - 1;
		return (name.isEmpty() ? "application" : name) + '@' + sanitize(host, room) + process;
	}

	private static String sanitize(String text, int length) {
		String clean = text.strip().replaceAll("[^\\p{L}\\p{N}._-]+", "-");
		if (clean.length() <= length) {
			return clean;
		}
		return clean.substring(0, Character.isHighSurrogate(clean.charAt(length - 1)) ? length - 1 : length);
	}

}
