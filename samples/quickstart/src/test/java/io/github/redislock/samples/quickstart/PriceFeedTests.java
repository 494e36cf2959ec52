package io.github.redislock.samples.quickstart;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.leadership.Leadership;
import io.github.redislock.leadership.LeadershipGrantedEvent;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.jms.ConnectionFactory;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;
import org.springframework.jms.core.JmsTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Three instances schedule the same job, and only the leader runs it.
 */
@Tag("thorough")
class PriceFeedTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final EmbeddedActiveMQ broker = new EmbeddedActiveMQ();

	private final String database = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());

	private final List<ConfigurableApplicationContext> instances = new ArrayList<>();

	private final Map<Long, String> leaders = new ConcurrentHashMap<>();

	@BeforeAll
	static void startBroker() throws Exception {
		broker.setConfiguration(new ConfigurationImpl().setPersistenceEnabled(false)
			.setSecurityEnabled(false)
			.addAcceptorConfiguration("in-vm", "vm://0"));
		broker.start();
	}

	@AfterAll
	static void stopBroker() throws Exception {
		broker.stop();
	}

	@BeforeEach
	void start() {
		ConfigurableApplicationContext first = start("shop-1");
		int redisPort = first.getBean(DataRedisConnectionDetails.class).getStandalone().getPort();
		start("shop-2", "--spring.data.redis.port=" + redisPort);
		start("shop-3", "--spring.data.redis.port=" + redisPort);
	}

	@AfterEach
	void stop() {
		// The first instance, which started the Redis, must be closed last.
		Collections.reverse(this.instances);
		this.instances.forEach(ConfigurableApplicationContext::close);
	}

	@Test
	void onlyTheLeaderOfATermPolls() {
		Set<String> led = new HashSet<>();
		for (int turn = 0; turn < 6; turn++) {
			ConfigurableApplicationContext leader = awaitPollOfLeader();
			led.add(name(leader));
			leadership(leader).resign().join();
		}
		ConfigurableApplicationContext last = awaitPollOfLeader();

		assertThat(led).containsExactlyInAnyOrder("shop-1", "shop-2", "shop-3");
		assertThat(this.instances).allMatch((instance) -> skipped(instance) > 0);
		assertThat(polls(last)).hasSizeGreaterThanOrEqualTo(7).isSubsetOf(this.leaders.entrySet());
	}

	@Test
	void listenerContainerRunsOnTheLeader() {
		for (int turn = 0; turn < 3; turn++) {
			ConfigurableApplicationContext leader = awaitPollOfLeader();
			JmsTemplate prices = leader.getBean(JmsTemplate.class);
			for (int message = 0; message < 20; message++) {
				prices.convertAndSend("prices", "%d/%d".formatted(turn, message));
			}

			await().atMost(PATIENCE).until(() -> leader.getBean(Messages.class).received.size() == 20);
			leader.getBean(Messages.class).received.clear();
			leadership(leader).resign().join();
		}

		assertThat(this.instances).allMatch((instance) -> instance.getBean(Messages.class).received.isEmpty());
	}

	private ConfigurableApplicationContext start(String instance, String... more) {
		SpringApplication shop = new SpringApplication(QuickstartApplication.class, Messages.class);
		shop.addListeners((ApplicationListener<PayloadApplicationEvent<?>>) (event) -> {
			if (event.getPayload() instanceof LeadershipGrantedEvent granted) {
				this.leaders.put(granted.term(), instance);
			}
		});
		List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--quickstart.instance=" + instance,
				"--quickstart.price-feed.every=5ms", "--redis-lock.leadership.roles.price-feed.leader-only=messages",
				"--spring.datasource.url=" + this.database));
		arguments.addAll(List.of(more));
		ConfigurableApplicationContext context = shop.run(arguments.toArray(String[]::new));
		this.instances.add(context);
		return context;
	}

	private ConfigurableApplicationContext awaitPollOfLeader() {
		return await().atMost(PATIENCE)
			.until(() -> this.instances.stream()
				.filter((instance) -> leadership(instance).term()
					.stream()
					.anyMatch((term) -> polls(instance).contains(Map.entry(term, name(instance)))))
				.findFirst(), Optional::isPresent)
			.orElseThrow();
	}

	/**
	 * Return the instances that polled, with their terms.
	 */
	private static Set<Map.Entry<Long, String>> polls(ConfigurableApplicationContext instance) {
		return instance.getBean(JdbcClient.class)
			.sql("select distinct term, polled_by from price_poll")
			.query((row, number) -> Map.entry(row.getLong(1), row.getString(2)))
			.set();
	}

	private static Leadership leadership(ConfigurableApplicationContext instance) {
		return instance.getBean("price-feedLeadership", Leadership.class);
	}

	private static double skipped(ConfigurableApplicationContext instance) {
		return instance.getBean(MeterRegistry.class).get("redis.lock.leadership.skipped").counter().count();
	}

	private static String name(ConfigurableApplicationContext instance) {
		return instance.getEnvironment().getRequiredProperty("quickstart.instance");
	}

	@EnableJms
	@TestConfiguration(proxyBeanMethods = false)
	static class Messages {

		private final List<String> received = new CopyOnWriteArrayList<>();

		@JmsListener(id = "messages", destination = "prices")
		void receive(String message) {
			this.received.add(message);
		}

		@Bean
		ConnectionFactory connections() {
			return new ActiveMQConnectionFactory("vm://0");
		}

		@Bean
		DefaultJmsListenerContainerFactory jmsListenerContainerFactory(ConnectionFactory connections) {
			DefaultJmsListenerContainerFactory factory = new DefaultJmsListenerContainerFactory();
			factory.setConnectionFactory(connections);
			factory.setAutoStartup(false);
			return factory;
		}

		@Bean
		JmsTemplate prices(ConnectionFactory connections) {
			return new JmsTemplate(connections);
		}

	}

}
