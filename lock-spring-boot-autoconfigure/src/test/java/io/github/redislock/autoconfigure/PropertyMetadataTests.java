package io.github.redislock.autoconfigure;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PropertyMetadataTests {

	private static final Pattern PROPERTY = Pattern.compile("\\{[^{}]*\"name\": \"([^\"]+)\"[^{}]*}");

	@Test
	void everyPropertyHasADescription() throws Exception {
		try (InputStream file = getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			String metadata = new String(file.readAllBytes(), StandardCharsets.UTF_8);
			String section = metadata.substring(metadata.indexOf("\"properties\""), metadata.indexOf("\"hints\""));
			List<MatchResult> properties = PROPERTY.matcher(section).results().toList();

			assertThat(properties).extracting((property) -> property.group(1))
				.contains("redis-lock.enabled", "redis-lock.store", "redis-lock.order", "redis-lock.wait-time",
						"redis-lock.hand-over.slice", "redis-lock.checks", "redis-lock.cold-start-quarantine",
						"redis-lock.replication.min-acks", "redis-lock.quorum.nodes", "redis-lock.quorum.node-timeout",
						"management.endpoint.locks.access", "management.health.redis-lock.enabled");
			assertThat(properties).allSatisfy((property) -> {
				assertThat(property.group(1)).matches(
						"redis-lock\\..+|management\\.(endpoint\\.locks|health\\.redis-lock|info\\.redis-lock)\\..+");
				assertThat(property.group()).containsPattern("\"description\": \"[^\"]{20,}");
			});
		}
	}

	@Test
	void unlimitedWaitTimeIsAmongTheHints() throws Exception {
		try (InputStream file = getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			String metadata = new String(file.readAllBytes(), StandardCharsets.UTF_8);

			assertThat(metadata.substring(metadata.indexOf("\"hints\""))).containsPattern(
					"\"name\": \"redis-lock.wait-time\",\\s+\"values\": \\[\\s+\\{\\s+\"value\": \"forever\"");
		}
	}

}
