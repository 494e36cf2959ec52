package io.github.redislock.autoconfigure;

import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server that keeps locks, from its reply to {@code INFO server}.
 *
 * @param name the name of the server, such as Redis
 * @param version the version of the server
 * @param redisVersion the version of Redis that supports the same commands, which Valkey
 * also reports
 */
record ServerVersion(String name, String version, String redisVersion) {

	private static final String REDIS_VERSION = "redis_version";

	private static final Pattern NUMBERS = Pattern.compile("(\\d+)\\.(\\d+).*");

	/**
	 * Return the servers in a reply. In a Cluster, there is one for each node, and the
	 * address of the node precedes the name of each value.
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
	 * Return whether the server is older than Redis 6.2, which the scripts need. If the
	 * version is unreadable, return {@code false}.
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
