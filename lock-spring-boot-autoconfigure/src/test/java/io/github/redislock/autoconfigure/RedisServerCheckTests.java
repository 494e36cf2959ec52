package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;

import io.github.redislock.autoconfigure.RedisServerCheck.Finding;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisCluster;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.RestrictedUser;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

@NeedsRedisServer
class RedisServerCheckTests {

	private static final RedisLockStoreOptions OPTIONS = RedisLockStoreOptions.defaults();

	@ParameterizedTest
	@EnumSource(Client.class)
	void wellConfiguredRedisHasNoFindings(Client client) {
		assertThat(check(client, OPTIONS, "appendonly yes")).isEmpty();
		assertThat(check(client, OPTIONS, "save 60 1")).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void severalProblemsAreReportedTogether(Client client) {
		List<Finding> findings = check(client, OPTIONS.minAcks(2), "maxmemory-policy allkeys-lru");

		assertThat(findings).extracting(Finding::problem)
			.containsExactly(
					"Redis evicts keys when its memory is full (maxmemory-policy is 'allkeys-lru'): a lock may vanish"
							+ " while it is held.",
					"Redis saves no data (neither AOF nor RDB): a restart frees all locks, even those that are held.",
					"A master has 0 replicas, but 'redis-lock.replication.min-acks' is 2: it can grant no lock.");
		assertThat(findings).extracting(Finding::remedy)
			.containsExactly("Set 'maxmemory-policy noeviction', or keep locks in a separate Redis.",
					"Set 'appendonly yes', or 'redis-lock.cold-start-quarantine' to the longest lease plus its grace.",
					"Start more replicas, or lower 'redis-lock.replication.min-acks'.");
	}

	@Test
	void missingPersistenceIsNotReportedWithAQuarantine() {
		assertThat(check(Client.LETTUCE, OPTIONS.coldStartQuarantine(Duration.ofMinutes(1)))).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void missingPermissionCausesNoFinding(Client client) {
		assertThat(check(client, OPTIONS.minAcks(1), "maxmemory-policy allkeys-lru",
				"user default on nopass ~* &* +@all -info"))
			.isEmpty();
		assertThat(check(client, OPTIONS, "maxmemory-policy allkeys-lru", "rename-command CONFIG \"\""))
			.extracting(Finding::problem)
			.singleElement()
			.asString()
			.contains("evicts");
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void redisWithoutScriptsIsReported(Client client) {
		assertThat(check(client, OPTIONS, "appendonly yes", "rename-command EVAL \"\"")).singleElement()
			.satisfies((finding) -> assertThat(finding.problem()).startsWith("Redis cannot run Lua scripts (ERR ")
				.endsWith("): no lock can be acquired."))
			.satisfies((finding) -> assertThat(finding.remedy()).startsWith("Allow EVAL and EVALSHA, or "));
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void redisWithoutWaitIsReportedIfItIsNeeded(Client client) {
		assertThat(check(client, OPTIONS.minAcks(1), "appendonly yes", "rename-command WAIT \"\""))
			.extracting(Finding::problem)
			.startsWith("Redis does not know WAIT, which 'redis-lock.replication.min-acks' needs:"
					+ " no lock can be acquired.");
		assertThat(check(client, OPTIONS, "appendonly yes", "rename-command WAIT \"\"")).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void replicaIsReportedWithoutCheckingItsReplicas(Client client) {
		try (RedisProcess master = RedisProcess.start()) {
			assertThat(check(client, OPTIONS.minAcks(1), "appendonly yes", "replicaof 127.0.0.1 " + master.port()))
				.containsExactly(new Finding("Redis is a read-only replica: no lock can be acquired.",
						"Set 'spring.data.redis.host' to the address of the master, or let"
								+ " 'spring.data.redis.sentinel.*' find it."));
		}
	}

	@Test
	void clusterIsChecked() {
		try (RedisProcess redis = RedisProcess.start("cluster-enabled yes", "maxmemory-policy volatile-ttl")) {
			LettuceConnectionFactory application = redis.connectionFactory(
					new LettuceConnectionFactory(new RedisClusterConfiguration(List.of("127.0.0.1:" + redis.port()))));

			assertThat(check(application, OPTIONS)).extracting(Finding::problem)
				.satisfiesExactly((eviction) -> assertThat(eviction).contains("volatile-ttl"),
						(persistence) -> assertThat(persistence).contains("saves no data"));
		}
	}

	@Test
	void replicasAreCountedOnlyOnMastersOfACluster() {
		try (RedisCluster cluster = RedisCluster.start()) {
			assertThat(check(cluster.connectionFactory(), OPTIONS.minAcks(1)))
				.noneMatch((finding) -> finding.problem().contains("replicas"));
			assertThat(check(cluster.connectionFactory(), OPTIONS.minAcks(2)))
				.anyMatch((finding) -> finding.problem().startsWith("A master has 1 replicas"));
		}
	}

	@Test
	void documentedPermissionsAreEnough() {
		try (RedisProcess redis = RedisProcess.start("maxmemory-policy allkeys-lru")) {
			assertThat(check(RestrictedUser.connectTo(redis), OPTIONS)).as("not known").isEmpty();

			assertThat(check(RestrictedUser.connectTo(redis, "redis-lock.checks"), OPTIONS)).hasSize(2);
		}
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void checkOfAnUnreachableRedisReturnsNull(Client client) {
		RedisConnectionFactory nowhere = client.connect(RedisProcess.freePort());

		assertThat(check(nowhere, OPTIONS)).isNull();
	}

	private static @Nullable List<Finding> check(RedisConnectionFactory redis, RedisLockStoreOptions options) {
		return new RedisServerCheck(redis, options, new HashSet<>()).run();
	}

	private static @Nullable List<Finding> check(Client client, RedisLockStoreOptions options, String... lines) {
		try (RedisProcess redis = RedisProcess.start(lines)) {
			return check(client.connect(redis.port()), options);
		}
	}

	private enum Client {

		LETTUCE {
			@Override
			RedisConnectionFactory connect(int port) {
				LettuceConnectionFactory factory = new LettuceConnectionFactory(
						new RedisStandaloneConfiguration("127.0.0.1", port));
				factory.afterPropertiesSet();
				factory.start();
				return factory;
			}
		},

		JEDIS {
			@Override
			RedisConnectionFactory connect(int port) {
				JedisConnectionFactory factory = new JedisConnectionFactory(
						new RedisStandaloneConfiguration("127.0.0.1", port));
				factory.afterPropertiesSet();
				factory.start();
				return factory;
			}
		};

		abstract RedisConnectionFactory connect(int port);

	}

}
