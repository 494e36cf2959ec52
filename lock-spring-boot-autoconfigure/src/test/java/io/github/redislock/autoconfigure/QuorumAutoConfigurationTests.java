package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.github.redislock.LockHandle;
import io.github.redislock.LockMode;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.redis.quorum.QuorumLockStore;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.FiveMasters;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks of an application on several independent servers.
 */
@NeedsRedisServer
@ExtendWith(OutputCaptureExtension.class)
class QuorumAutoConfigurationTests {

	private static final LockOptions PATIENT = LockOptions.options().waitTime(Duration.ofSeconds(30));

	private static final FiveMasters masters = FiveMasters.shared();

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, RedisLockAutoConfiguration.class,
				RedisLockStoreAutoConfiguration.class))
		// No server listens on this port, because the application's own Redis is not
		// involved.
		.withPropertyValues("spring.data.redis.port=1", "redis-lock.checks=off", "redis-lock.cold-start-quarantine=0s");

	private final ApplicationContextRunner quorum = this.application.withPropertyValues(nodes(masters.addresses()));

	@Test
	void locksAreKeptOnTheNodes() {
		this.quorum.run((context) -> {
			assertThat(context).hasSingleBean(QuorumLockStore.class).hasSingleBean(RedisConnectionFactory.class);
			assertThat(context.getBean(LettuceConnectionFactory.class).getPort()).as("unchanged").isEqualTo(1);

			try (LockHandle lock = context.getBean(RedisLockTemplate.class).acquire(LockTarget.of("boot"), PATIENT)) {
				Awaitility.await()
					.untilAsserted(() -> assertThat(masters.nodes())
						.allSatisfy((node) -> assertThat(node.command("GET", "distributed_lock:boot")).asString()
							.startsWith(lock.owner() + '\t')));
			}
		});
	}

	@Test
	void connectionsCloseWithTheContext() {
		this.quorum.withPropertyValues("redis-lock.quorum.node-timeout=5s").run((context) -> {
			context.getBean(RedisLockTemplate.class).acquire(LockTarget.of("boot"), PATIENT).close();
			Awaitility.await().untilAsserted(() -> assertThat(clients(masters.node(0))).isPositive());
		});

		Awaitility.await().untilAsserted(() -> assertThat(clients(masters.node(0))).isZero());
	}

	@Test
	void userPasswordAndDatabaseOfANodeAreUsed() {
		try (RedisProcess node = RedisProcess.start()) {
			node.command("ACL", "SETUSER", "lo:cks", "on", ">p@ss/word", "~*", "&*", "+@all");
			node.command("ACL", "SETUSER", "default", "off");
			this.application.withPropertyValues(nodes(List.of(masters.addresses().get(0), masters.addresses().get(1),
					"redis://lo%3Acks:p%40ss%2Fword@127.0.0.1:" + node.port() + "/3")))
				.run((context) -> {
					node.login("AUTH", "lo:cks", "p@ss/word");

					try (LockHandle lock = context.getBean(RedisLockTemplate.class)
						.acquire(LockTarget.of("boot"), PATIENT)) {
						assertThat(lock.isHeld()).isTrue();
						Awaitility.await()
							.untilAsserted(() -> assertThat(String.valueOf(node.command("INFO", "keyspace")))
								.contains("db3:"));
					}
				});
		}
	}

	@Test
	void serversWithoutDataGrantNoLockForALeaseAndItsGraceByDefault() {
		try (FiveMasters fresh = FiveMasters.start()) {
			new ApplicationContextRunner()
				.withConfiguration(
						AutoConfigurations.of(RedisLockAutoConfiguration.class, RedisLockStoreAutoConfiguration.class))
				.withPropertyValues("redis-lock.checks=off", "redis-lock.quorum.node-timeout=5s",
						"redis-lock.timeout=40s", nodes(fresh.addresses()))
				.run((context) -> assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> context.getBean(RedisLockTemplate.class).acquire(LockTarget.of("boot")))
					.withMessageContaining("0 of 5 Redis nodes replied, and 3 are needed")
					// A lease of 40 s and a twentieth.
					.withMessageMatching("(?s).*grants no lock for another 4[0-2](?:\\.\\d)?s: .*"));
		}
	}

	@Test
	void eachNodeIsCheckedAtStartup(CapturedOutput output) {
		this.quorum.withPropertyValues("redis-lock.checks=warn", "redis-lock.quorum.node-timeout=5s").run((context) -> {
			assertThat(context).hasNotFailed();
			masters.nodes()
				.forEach((node) -> Awaitility.await()
					.untilAsserted(() -> assertThat(output).contains("Node 127.0.0.1:" + node.port()
							+ ": Redis saves no data (neither AOF nor RDB): a restart frees all locks")));
		});
	}

	@Test
	void nodesAreNamedWithoutTheirPasswords() {
		try (LogRecorder log = LogRecorder.debugOf("io.github.redislock.autoconfigure.RedisServerChecks")) {
			this.application
				.withPropertyValues("redis-lock.quorum.nodes=redis://127.0.0.1:1, rediss://guest:hush@127.0.0.1:2/3,"
						+ " redis://hush@127.0.0.1:3")
				.run((context) -> assertThat(log.text())
					.contains("Locks are kept in Redis at redis://127.0.0.1:1, rediss://127.0.0.1:2/3,"
							+ " redis://127.0.0.1:3, quorum, below 'distributed_lock:'")
					.doesNotContain("hush"));
		}
	}

	@Test
	void versionsOfTheNodesAreNamedOnce() {
		try (LogRecorder log = LogRecorder.debugOf("io.github.redislock.autoconfigure.RedisServerChecks")) {
			this.quorum.withPropertyValues("redis-lock.checks=warn", "redis-lock.quorum.node-timeout=5s")
				.run((context) -> Awaitility.await()
					.untilAsserted(
							() -> assertThat(log.lines()).filteredOn((line) -> line.contains("Locks are kept in"))
								.singleElement()
								.asString()
								.containsPattern("Locks are kept in (Redis|Valkey) [\\d.]+ at redis://127")));
		}
	}

	@Test
	void methodWithASharedLockFailsStartup() {
		this.quorum.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withBean(Catalogue.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(LockSetupException.class)
				.hasMessageContaining(
						"Method '" + Catalogue.class.getName() + ".find()' cannot be locked: Lock 'catalogue (read)'"
								+ " is shared, but this store keeps only exclusive locks."));
	}

	@Test
	void storeOfTheApplicationTakesPrecedence() {
		LockStore own = new InMemoryLockStore();

		this.quorum.withBean(LockStore.class, () -> own)
			.run((context) -> assertThat(context.getBean(LockStore.class)).isSameAs(own));
	}

	@Test
	void missingModuleFailsStartup() {
		this.quorum.withClassLoader(new FilteredClassLoader(QuorumLockStore.class))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockSetupException.class)
				.hasMessage("'redis-lock.quorum.nodes' is set, but lock-quorum is not on the class path. Add the"
						+ " dependency 'io.github.redislock:lock-quorum', or remove 'redis-lock.quorum.nodes'."));
	}

	@Test
	void missingLettuceFailsStartup() {
		this.quorum.withClassLoader(new FilteredClassLoader("io.lettuce.core"))
			.withConfiguration(AutoConfigurations.of())
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("needs Lettuce"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			redis://a,redis://b,redis://b:6379           | node 3 of the quorum, b:6379, is listed twice
			redis://a,redis://b,http://c                 | Node 3 of 'redis-lock.quorum.nodes' does not begin with
			redis://a,redis://b,c:6379                   | Node 3 of 'redis-lock.quorum.nodes' does not begin with
			redis://a,redis://b,redis:///1               | Node 3 of 'redis-lock.quorum.nodes' has no host
			redis://a,redis://b,redis://c/x              | has a port or database that is not a valid number
			redis://a,redis://b,redis://c:0              | has a port or database that is not a valid number
			redis://a,redis://b,redis://c:99999          | has a port or database that is not a valid number
			redis://a,redis://b,redis://c/-1             | has a port or database that is not a valid number
			redis://a,redis://b,redis://p/pa_ss@c        | has a port or database that is not a valid number
			redis://a,redis://b,redis://c?timeout=1s     | has something after its database
			redis://a,redis://b,redis://u:pa ss@c        | Node 3 of 'redis-lock.quorum.nodes' is not an address
			""")
	void invalidNodesFailStartup(String nodes, String reason) {
		this.application.withPropertyValues("redis-lock.quorum.nodes=" + nodes)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.satisfies((failure) -> assertThat(chain(context.getStartupFailure())).contains(reason)
					.doesNotContain("pa ss", "pa_ss")));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			redis-lock.connection-factory=redisConnectionFactory | Both 'redis-lock.quorum.nodes' and
			redis-lock.replication.min-acks=1                    | min-acks does not work with a quorum
			redis-lock.quorum.node-timeout=0s                    | node-timeout must be at least 1ms
			""")
	void invalidOptionsForAQuorumFailStartup(String property, String reason) {
		this.quorum.withPropertyValues(property)
			.run((context) -> assertThat(chain(context.getStartupFailure())).contains(reason));
	}

	@Test
	void invalidNodeIsExplained(CapturedOutput output) {
		start("redis://a,redis://user:pass@b,redis//c");

		assertThat(output)
			.contains("Node 3 of 'redis-lock.quorum.nodes' does not begin with 'redis://' or 'rediss://'.")
			.contains(
					"Write each node as 'redis://[user:password@]host[:port][/database]', or 'rediss://...' with TLS.")
			.doesNotContain("pass@b");
	}

	@Test
	void evenNumberOfNodesIsExplained(CapturedOutput output) {
		start("redis://a,redis://b,redis://c,redis://d");

		assertThat(output)
			.contains("Locks cannot be kept on this quorum: a quorum needs an odd number of nodes but has 4: like"
					+ " 3 nodes, it tolerates the loss of only 1.")
			.contains("Correct 'redis-lock.quorum.nodes'");
	}

	private static void start(String nodes) {
		assertThatException().isThrownBy(
				() -> new SpringApplicationBuilder(RedisLockStoreAutoConfiguration.class).web(WebApplicationType.NONE)
					.run("--redis-lock.quorum.nodes=" + nodes));
	}

	private static String chain(Throwable failure) {
		StringBuilder text = new StringBuilder();
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			text.append(cause.getMessage()).append('\n');
		}
		return text.toString();
	}

	private static long clients(RedisProcess node) {
		return String.valueOf(node.command("CLIENT", "LIST"))
			.lines()
			.filter((client) -> client.contains("name=redis-lock "))
			.count();
	}

	private static String nodes(List<String> addresses) {
		return "redis-lock.quorum.nodes=" + String.join(",", addresses);
	}

	static class Catalogue {

		@DistributedLock(name = "catalogue", mode = LockMode.READ)
		public void find() {
		}

	}

}
