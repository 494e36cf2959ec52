package io.github.redislock.samples.quickstart;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.leadership.Leadership;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.test.EmbeddedKafkaBroker;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two instances declare the same Kafka listener, and the leader runs it.
 */
@Tag("thorough")
class KafkaListenerTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final EmbeddedKafkaBroker broker = new EmbeddedKafkaKraftBroker(1, 1, "prices");

	private final String database = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());

	private final List<ConfigurableApplicationContext> instances = new ArrayList<>();

	@BeforeAll
	static void startBroker() {
		broker.afterPropertiesSet();
	}

	@AfterAll
	static void stopBroker() {
		broker.destroy();
	}

	@AfterEach
	void stop() {
		// The first instance, which started the Redis, must be closed last.
		Collections.reverse(this.instances);
		this.instances.forEach(ConfigurableApplicationContext::close);
	}

	@Test
	void listenerContainerRunsOnTheLeader() {
		ConfigurableApplicationContext first = start();
		int redisPort = first.getBean(DataRedisConnectionDetails.class).getStandalone().getPort();
		ConfigurableApplicationContext second = start("--spring.data.redis.port=" + redisPort);

		for (int turn = 0; turn < 2; turn++) {
			ConfigurableApplicationContext leader = awaitLeader();
			ConfigurableApplicationContext other = leader.equals(first) ? second : first;
			await().atMost(PATIENCE).until(() -> isListening(leader));
			assertThat(isListening(other)).isFalse();
			String price = "price " + turn;

			leader.getBean(Prices.class).kafka.send("prices", price).join();

			await().atMost(PATIENCE).until(() -> leader.getBean(Prices.class).received.contains(price));
			assertThat(other.getBean(Prices.class).received).doesNotContain(price);
			leadership(leader).resign().join();
			assertThat(isListening(leader)).isFalse();
			await().atMost(PATIENCE).until(() -> leadership(other).isLeader());
		}
	}

	private ConfigurableApplicationContext start(String... more) {
		List<String> arguments = new ArrayList<>(
				List.of("--server.port=0", "--redis-lock.leadership.roles.price-feed.leader-only=prices",
						"--spring.datasource.url=" + this.database));
		arguments.addAll(List.of(more));
		ConfigurableApplicationContext context = new SpringApplication(QuickstartApplication.class, Prices.class)
			.run(arguments.toArray(String[]::new));
		this.instances.add(context);
		return context;
	}

	private ConfigurableApplicationContext awaitLeader() {
		return await().atMost(PATIENCE)
			.until(() -> this.instances.stream().filter((instance) -> leadership(instance).isLeader()).findFirst(),
					Optional::isPresent)
			.orElseThrow();
	}

	private static Leadership leadership(ConfigurableApplicationContext instance) {
		return instance.getBean("price-feedLeadership", Leadership.class);
	}

	private static boolean isListening(ConfigurableApplicationContext instance) {
		return instance.getBean(KafkaListenerEndpointRegistry.class).getListenerContainer("prices").isRunning();
	}

	@EnableKafka
	@TestConfiguration(proxyBeanMethods = false)
	static class Prices {

		private final List<String> received = new CopyOnWriteArrayList<>();

		private final KafkaTemplate<String, String> kafka = new KafkaTemplate<>(
				new DefaultKafkaProducerFactory<>(Map.of("bootstrap.servers", broker.getBrokersAsString()),
						new StringSerializer(), new StringSerializer()));

		@KafkaListener(id = "prices", topics = "prices", autoStartup = "false")
		void receive(String price) {
			this.received.add(price);
		}

		@Bean
		ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory() {
			Map<String, Object> properties = Map.of("bootstrap.servers", broker.getBrokersAsString(), "group.id",
					"shop", "auto.offset.reset", "earliest");
			var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
			factory.setConsumerFactory(
					new DefaultKafkaConsumerFactory<>(properties, new StringDeserializer(), new StringDeserializer()));
			return factory;
		}

	}

}
