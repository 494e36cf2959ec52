package io.github.redislock.autoconfigure;

import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The server that keeps the locks, from its reply to {@code INFO server}.
 *
 * @param name the name of the server, such as Redis
 * @param version the version of the server
 * @param redisVersion the version of Redis with the same commands, which Valkey also
 * reports
 */
record ServerVersion(String name, String version, String redisVersion) {

	private static final String REDIS_VERSION = "redis_version";

	private static final Pattern NUMBERS = Pattern.compile("(\\d+)\\.(\\d+).*");

	/**
	 * Return the servers in a reply: one for each node of a Cluster, whose address
	 * precedes the name.
	 */
	static List<ServerVersion> in(Properties info) {
		return info.stringPropertyNames()
			.stream()
			.filter((key) -> key.equals(REDIS_VERSION) || key.endsWith('.' + REDIS_VERSION))
			.sorted()
			.map((key) -> of(info, key.substring(0, key.length() - REDIS_VERSION.length())))
			.toList();
	}

	private static ServerVersion of(Properties info, String node) {
		String redisVersion = info.getProperty(node + REDIS_VERSION);
		String valkeyVersion = info.getProperty(node + "valkey_version");
		return (valkeyVersion != null) ? new ServerVersion("Valkey", valkeyVersion, redisVersion)
				: new ServerVersion("Redis", redisVersion, redisVersion);
	}

	/**
	 * Return whether the server lacks a command of the scripts, or {@code false} if the
	 * version is unreadable.
	 */
	boolean isTooOld() {
		Matcher numbers = NUMBERS.matcher(this.redisVersion);
		return numbers.matches() && Integer.parseInt(numbers.group(1)) * 100 + Integer.parseInt(numbers.group(2)) < 602;
	}

	@Override
	public String toString() {
		return this.name + " " + this.version;
	}

}
