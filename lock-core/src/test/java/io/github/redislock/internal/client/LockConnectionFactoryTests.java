package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.redislock.testing.LogRecorder;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockConnectionFactoryTests {

	@AutoClose
	private final RespServer redis = new RespServer();

	private @Nullable LockConnectionFactory connections;

	@AfterEach
	void close() {
		Objects.requireNonNull(this.connections).destroy();
	}

	@Test
	void newConnectionReplacesThePreviousOne() {
		LockConnectionFactory connections = connections();
		connections.connect();

		connections.connect();

		assertThat(this.redis.opened()).isEqualTo(2);
		Awaitility.await().until(() -> this.redis.open() == 1);
	}

	@Test
	void lostSubscriptionsAreNoLostConnectionsForScripts() {
		LockConnectionFactory connections = connections();
		connections.connect();
		connections.connectPubSub();

		this.redis.cut();

		Awaitility.await().until(() -> this.redis.opened() == 4);
		assertThat(connections.disconnections()).isEqualTo(1);
	}

	@Test
	void outageIsLoggedWhenItBeginsAndWhenItEnds() {
		try (LogRecorder log = LogRecorder.debugOf(LockConnectionFactory.class.getName())) {
			connections().connect();
			assertThat(log.lines()).isEmpty();

			this.redis.reply("HELLO", "-LOADING Redis is loading the dataset in memory");
			this.redis.cut();
			Awaitility.await().until(() -> log.lines().size() == 1);
			long opened = this.redis.opened();
			Awaitility.await().until(() -> this.redis.opened() > opened + 2);
			this.redis.acceptLogins();
			Awaitility.await().until(() -> log.lines().size() > 1);

			assertThat(log.lines()).satisfiesExactly(
					(begun) -> assertThat(begun).startsWith("WARN ").contains(":" + this.redis.port() + "' was lost"),
					(ended) -> assertThat(ended).startsWith("INFO ").contains(":" + this.redis.port() + "' is back"));
		}
	}

	/**
	 * Many requests may fail at once.
	 */
	@Test
	void topologyIsRefreshedAgainOnlyAfterAPause() {
		this.redis.replyAsCluster(Map.of(this.redis.port(), "0-16383"));
		LockConnectionFactory connections = connections();
		connections.connect();
		long before = this.redis.count(RespServer.NODES);
		long begin = System.nanoTime();

		try (LogRecorder log = LogRecorder.debugOf(LockConnectionFactory.class.getName())) {
			Awaitility.await().until(() -> {
				connections.refreshTopology();
				return this.redis.count(RespServer.NODES) >= before + 2;
			});

			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(500));
			assertThat(log.lines()).isEmpty();
		}
	}

	@Test
	void threadsAreStoppedWithTheConnections() {
		LockConnectionFactory connections = connections();
		connections.connect();

		connections.destroy();

		assertThat(connections.isRunning()).isFalse();
		assertThat(connections.executor().isTerminated()).isTrue();
	}

	private LockConnectionFactory connections() {
		LockConnectionFactory created = LockConnectionFactory.deriveFrom(this.redis.application(),
				new ClientSettings("test", Duration.ofSeconds(10), 0, false, "lock:", List.of()));
		this.connections = created;
		return created;
	}

}
