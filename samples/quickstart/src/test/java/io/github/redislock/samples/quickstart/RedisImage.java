package io.github.redislock.samples.quickstart;

import java.util.Comparator;
import java.util.List;

/**
 * The Redis image to run: a local one needs no network.
 */
final class RedisImage {

	static final String DEFAULT = "redis:8-alpine";

	private RedisImage() {
	}

	/**
	 * Return the image to run.
	 * @param local the names of all images that the engine has
	 * @return the usual image if it is local or none is, otherwise the newest by its name
	 */
	static String choose(List<String> local) {
		if (local.contains(DEFAULT)) {
			return DEFAULT;
		}
		return local.stream()
			.filter((name) -> name.startsWith("redis:"))
			.max(Comparator.naturalOrder())
			.orElse(DEFAULT);
	}

}
