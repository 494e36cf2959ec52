package io.github.redislock.samples.quickstart;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two instances on one Redis and one database behave like one.
 */
class TwoInstancesTests extends ShopPromises {

	private static final String DATABASE = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());

	private static ConfigurableApplicationContext first;

	private static ConfigurableApplicationContext second;

	@BeforeAll
	static void start() {
		first = start("first");
		int redisPort = first.getBean(DataRedisConnectionDetails.class).getStandalone().getPort();
		second = start("second", "--spring.data.redis.port=" + redisPort);
	}

	@AfterAll
	static void stop() {
		second.close();
		first.close();
	}

	@Override
	Callers callers() {
		return new Callers(port(first), port(second));
	}

	@Test
	void instancesDoNotBothRunTheScheduledJob() {
		await().atMost(Duration.ofSeconds(60)).until(() -> heartbeats().size() >= 6);

		JsonNode beats = heartbeats();
		Instant last = Instant.parse(beats.get(0).path("beatAt").asString());
		Instant beforeFive = Instant.parse(beats.get(5).path("beatAt").asString());
		// The time is at least 2.5 s if the first beat was not recorded late, and about
		// 0.5 s if both instances ran the job.
		assertThat(Duration.between(beforeFive, last)).isGreaterThan(Duration.ofMillis(1_200));
	}

	@Test
	void refusedPaymentNamesTheHoldingInstance() {
		String path = "/payments/" + UUID.randomUUID();

		assertThat(callers().together(2, "POST", path)).filteredOn((reply) -> reply.status() == 409)
			.singleElement()
			.extracting((reply) -> reply.text("holder"))
			.isIn("first", "second");
	}

	private static ConfigurableApplicationContext start(String instance, String... more) {
		List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--quickstart.instance=" + instance,
				"--" + WORK_TIME, "--" + WAIT_TIME, "--quickstart.heartbeat.every=200ms",
				"--quickstart.heartbeat.at-least-for=500ms", "--spring.datasource.url=" + DATABASE));
		arguments.addAll(List.of(more));
		return SpringApplication.run(QuickstartApplication.class, arguments.toArray(String[]::new));
	}

	private static int port(ConfigurableApplicationContext instance) {
		return instance.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
	}

	private JsonNode heartbeats() {
		return callers().ask("GET", "/heartbeats").body();
	}

}
