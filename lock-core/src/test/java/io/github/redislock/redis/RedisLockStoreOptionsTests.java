package io.github.redislock.redis;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;

import io.github.redislock.testing.ForeignConnectionFactory;
import io.github.redislock.testing.LogRecorder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RedisLockStoreOptionsTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	/** Does not exist. */
	private static final RedisClusterConfiguration CLUSTER = new RedisClusterConfiguration(List.of("127.0.0.1:1"));

	private static final JedisConnectionFactory CLUSTER_OF_JEDIS = new JedisConnectionFactory(CLUSTER);

	private final RedisLockStoreOptions defaults = RedisLockStoreOptions.defaults();

	@Test
	void keyPrefixCommandTimeoutAndClientNameHaveTheirDefaults() {
		assertThat(this.defaults.keyPrefix()).isEqualTo("distributed_lock:");
		assertThat(this.defaults.commandTimeout()).isEqualTo(Duration.ofSeconds(2));
		assertThat(this.defaults.client().clientName()).isEqualTo("redis-lock");
	}

	@Test
	void clientKnowsWhetherThereIsAQuarantine() {
		assertThat(this.defaults.client().quarantine()).isFalse();
		assertThat(this.defaults.coldStartQuarantine(MINUTE).client().quarantine()).isTrue();
	}

	@Test
	void minAcksIsBetween0And100() {
		assertThat(this.defaults.minAcks(100).minAcks()).isEqualTo(100);
		assertThat(this.defaults.minAcks(100).minAcks(0).minAcks()).isZero();
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.minAcks(101))
			.withMessage("minAcks must be at least 0 and at most 100 but is 101");
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.minAcks(-1))
			.withMessage("minAcks must be at least 0 and at most 100 but is -1");
	}

	@ParameterizedTest
	@CsvSource({ "500, 100", "3000, 500", "60000, 2000", ", 2000" })
	void timeoutIsASixthOfAShortLease(@Nullable Long lease, long timeout) {
		assertThat(this.defaults.timeout((lease != null) ? Duration.ofMillis(lease) : null)).hasMillis(timeout);
	}

	@Test
	void commandTimeoutIsBetweenAMillisecondAndAnHour() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.commandTimeout(Duration.ofNanos(999_999)))
			.withMessage("commandTimeout must be at least 1ms but is 0ms");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.defaults.commandTimeout(ChronoUnit.FOREVER.getDuration()));
		assertThat(this.defaults.commandTimeout(Duration.ofHours(1)).commandTimeout()).hasHours(1);
	}

	@Test
	void clusterIsRecognizedWithBothClients() {
		assertThat(Stream.<RedisConnectionFactory>of(new LettuceConnectionFactory(CLUSTER), CLUSTER_OF_JEDIS))
			.allMatch(RedisLockStore::isCluster);
		assertThat(Stream.<RedisConnectionFactory>of(new LettuceConnectionFactory(), new JedisConnectionFactory(),
				new ForeignConnectionFactory(() -> CLUSTER_OF_JEDIS)))
			.noneMatch(RedisLockStore::isCluster);
	}

	@Test
	void optionsThatDoNotWorkInAClusterAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisLockStore.create(CLUSTER_OF_JEDIS, this.defaults.coldStartQuarantine(MINUTE)))
			.withMessage("redis-lock.cold-start-quarantine does not work in a Redis Cluster");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisLockStore.create(CLUSTER_OF_JEDIS, this.defaults.minAcks(1)))
			.withMessageStartingWith("redis-lock.replication.min-acks works in a Redis Cluster only with");

		try (LogRecorder log = LogRecorder.warningsOf(RedisLockStore.class.getName())) {
			RedisLockStore.create(CLUSTER_OF_JEDIS, this.defaults).close();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a b", "a\nb" })
	void clientNameMustNotBeEmptyOrContainWhiteSpace(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.clientName(name))
			.withMessage("clientName must not be empty or contain white space");
	}

}
