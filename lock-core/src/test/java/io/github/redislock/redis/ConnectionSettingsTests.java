package io.github.redislock.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.net.ssl.SSLParameters;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.LockConnections;
import io.github.redislock.internal.client.RedisAddress;
import io.github.redislock.testing.ForeignConnectionFactory;
import io.github.redislock.testing.LettuceClients;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.TestCertificate;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.ReauthenticateBehavior;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import redis.clients.jedis.DefaultRedisCredentials;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * The connections of locks, which send scripts and receive messages, use the
 * application's credentials, database and TLS settings.
 */
@NeedsRedisServer
class ConnectionSettingsTests {

	private static final LockOptions PATIENT = LockOptions.options().waitTime(Duration.ofSeconds(10));

	private static final Predicate<String> SUBSCRIBED = Pattern.compile(" sub=[1-9]").asPredicate();

	/**
	 * The database is selected after these commands. Redis 7.0 does not support one of
	 * them.
	 */
	private static final Predicate<String> LOGGING_IN = Pattern.compile(" cmd=(hello|auth|client\\S*|NULL) ")
		.asPredicate();

	/** The only name for which the certificate is valid. */
	private static final String HOST = "localhost";

	private static TestCertificate certificate;

	private final List<JedisConnectionFactory> jedis = new ArrayList<>();

	private RedisProcess redis;

	@BeforeAll
	static void createCertificate(@TempDir Path directory) {
		certificate = TestCertificate.create(directory, HOST);
	}

	@AfterEach
	void stop() {
		this.jedis.forEach(JedisConnectionFactory::destroy);
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource
	void userPasswordAndDatabaseAreAdopted(Client client) {
		startWithUser();
		RedisStandaloneConfiguration address = address();
		address.setUsername("boss");
		address.setPassword("secret");
		address.setDatabase(3);

		assertThat(connectionsOfLocks(plain(client, address)))
			.allMatch((connection) -> connection.contains(" db=3 ") && connection.contains(" user=boss "));
	}

	@Test
	void lettuceAdoptsAUserWithoutPassword() {
		startWithUser("user guest on nopass ~* &* +@all");
		RedisStandaloneConfiguration address = address();
		address.setUsername("guest");

		assertThat(connectionsOfLocks(plain(Client.LETTUCE, address)))
			.allMatch((connection) -> connection.contains(" user=guest "));
	}

	@ParameterizedTest
	@EnumSource
	void userAndPasswordAreAdoptedInACluster(Client client) {
		startWithUser("cluster-enabled yes", "cluster-port " + RedisProcess.freePort());
		this.redis.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
		Instances.await("cluster")
			.until(() -> String.valueOf(this.redis.command("CLUSTER", "INFO")).contains("cluster_state:ok"));
		RedisClusterConfiguration cluster = new RedisClusterConfiguration(List.of("127.0.0.1:" + this.redis.port()));
		cluster.setUsername("boss");
		cluster.setPassword("secret");

		assertThat(connectionsOfLocks(plain(client, cluster)))
			.allMatch((connection) -> connection.contains(" user=boss "));
	}

	@ParameterizedTest
	@EnumSource
	void sentinelAndServerCredentialsAreAdopted(Client client) {
		startWithUser();
		int port = RedisProcess.freePort();
		try (RedisProcess sentinel = RedisProcess.launchSentinel(port, "user default off",
				"user guard on >watch ~* &* +@all", "sentinel monitor locks 127.0.0.1 " + this.redis.port() + " 1",
				"sentinel auth-user locks boss", "sentinel auth-pass locks secret")) {
			sentinel.login("AUTH", "guard", "watch");
			sentinel.awaitReply();
			RedisSentinelConfiguration group = new RedisSentinelConfiguration("locks", Set.of("127.0.0.1:" + port));
			group.setSentinelUsername("guard");
			group.setSentinelPassword("watch");
			group.setUsername("boss");
			group.setPassword("secret");
			group.setDatabase(3);

			assertThat(connectionsOfLocks(plain(client, group)))
				.allMatch((connection) -> connection.contains(" db=3 ") && connection.contains(" user=boss "));
		}
	}

	@ParameterizedTest
	@EnumSource
	void serverAndClientCertificatesAreAdopted(Client client) {
		RedisStandaloneConfiguration address = startEncrypted(HOST);

		assertThat(connectionsOfLocks(encrypted(client, address, true))).isNotEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void hostNameIsVerifiedOnlyIfTheApplicationVerifiesIt(Client client) {
		RedisStandaloneConfiguration address = startEncrypted("127.0.0.1");

		assertThat(failure(encrypted(client, address, true))).hasStackTraceContaining("No subject alternative names");
		assertThat(connectionsOfLocks(encrypted(client, address, false))).isNotEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void unknownCertificateIsReported(Client client) {
		RedisStandaloneConfiguration address = startEncrypted(HOST);
		RedisConnectionFactory application = switch (client) {
			case LETTUCE -> lettuce(address, LettuceClientConfiguration.builder().useSsl().build());
			case JEDIS -> jedis(address, JedisClientConfiguration.builder().useSsl().build());
		};

		assertThat(failure(application)).hasMessageContaining("cannot connect to Redis (")
			.hasMessageContaining("PKIX path building failed");
	}

	@Test
	void hostNameVerifierOfJedisIsAdopted() {
		RedisConnectionFactory application = jedis(startEncrypted(HOST),
				JedisClientConfiguration.builder()
					.useSsl()
					.sslSocketFactory(certificate.sslContext().getSocketFactory())
					.hostnameVerifier((host, session) -> false)
					.build());

		assertThat(failure(application)).hasMessageContaining("hostname verification");
	}

	@Test
	void lettuceVerifiesNoPeerIfDisabledByTheApplication() {
		RedisConnectionFactory application = lettuce(startEncrypted("127.0.0.1"),
				LettuceClientConfiguration.builder()
					.useSsl()
					.disablePeerVerification()
					.and()
					.clientOptions(options(SslOptions.builder().keyManager(certificate.keyManagers())))
					.build());

		assertThat(connectionsOfLocks(application)).isNotEmpty();
	}

	/**
	 * Redis has no STARTTLS command, so it closes the connection.
	 */
	@Test
	void lettuceSendsItsFirstCommandUnencryptedWithStartTls() {
		this.redis = RedisProcess.start();
		RedisConnectionFactory application = lettuce(address(HOST, this.redis.port()),
				LettuceClientConfiguration.builder().useSsl().startTls().build());

		assertThat(failure(application)).hasMessageContaining("Redis closed the connection immediately");

		assertThat(this.redis.commandCounts()).containsKey("hello");
	}

	@ParameterizedTest
	@EnumSource
	void nextConnectionUsesTheNewPasswordOfACredentialsProvider(Client client) {
		startWithUser();
		AtomicReference<String> password = new AtomicReference<>("secret");
		RedisStandaloneConfiguration address = address();
		RedisConnectionFactory application = switch (client) {
			case LETTUCE -> lettuce(address,
					LettuceClientConfiguration.builder()
						.redisCredentialsProviderFactory(
								providing(() -> Mono.fromSupplier(() -> RedisCredentials.just("boss", password.get()))))
						.build());
			case JEDIS -> jedis(address, providing(() -> new DefaultRedisCredentials("boss", password.get())));
		};
		try (RedisLockTemplate locks = connected(application)) {
			this.redis.command("ACL", "SETUSER", "boss", "resetpass", ">changed");
			password.set("changed");
			this.redis.command("CLIENT", "KILL", "USER", "boss");

			locks.acquire(LockTarget.of("job"), PATIENT).close();
			assertThat(connections()).isNotEmpty().allMatch((connection) -> connection.contains(" user=boss "));
		}
	}

	@Test
	void openLettuceConnectionsReauthenticateWithNewCredentials() {
		startWithUser("user successor on >other ~* &* +@all");
		Sinks.Many<RedisCredentials> emitted = Sinks.many().replay().latest();
		emitted.tryEmitNext(RedisCredentials.just("boss", "secret"));
		RedisCredentialsProvider provider = new RedisCredentialsProvider() {

			@Override
			public Mono<RedisCredentials> resolveCredentials() {
				return emitted.asFlux().next();
			}

			@Override
			public boolean supportsStreaming() {
				return true;
			}

			@Override
			public Flux<RedisCredentials> credentials() {
				return emitted.asFlux();
			}

		};
		RedisConnectionFactory application = lettuce(address(), LettuceClientConfiguration.builder()
			.redisCredentialsProviderFactory(providing(provider))
			.clientOptions(
					ClientOptions.builder().reauthenticateBehavior(ReauthenticateBehavior.ON_NEW_CREDENTIALS).build())
			.build());
		try (RedisLockTemplate locks = connected(application)) {
			assertThat(connections()).isNotEmpty().allMatch((connection) -> connection.contains(" user=boss "));

			emitted.tryEmitNext(RedisCredentials.just("successor", "other"));

			Instances.await("new user")
				.until(() -> connections().stream().allMatch((connection) -> connection.contains(" user=successor ")));
		}
	}

	@Test
	void lettuceReconnectsEvenIfDisabledByTheApplication() {
		this.redis = RedisProcess.start();
		RedisConnectionFactory application = lettuce(ClientOptions.builder().autoReconnect(false));
		try (RedisLockTemplate locks = connected(application)) {
			// A subscription that breaks before it is complete is begun again only when a
			// caller needs it.
			Instances.await("subscription to both channels")
				.until(() -> connections().stream().anyMatch((connection) -> connection.contains(" sub=2 ")));

			this.redis.command("CLIENT", "KILL", "TYPE", "pubsub");
			this.redis.command("CLIENT", "KILL", "TYPE", "normal");

			Instances.await("both connections")
				.until(() -> connections().size() == 2 && connections().stream().anyMatch(SUBSCRIBED));
			locks.acquire(LockTarget.of("job"), PATIENT).close();
		}
	}

	@Test
	void lettuceReconnectsAfterARejectedPasswordEvenIfDisabledByTheApplication() {
		this.redis = RedisProcess.start();
		RedisConnectionFactory application = lettuce(ClientOptions.builder().suspendReconnectOnProtocolFailure(true));
		try (RedisLockTemplate locks = connected(application)) {
			this.redis.command("CONFIG", "SET", "requirepass", "other");
			this.redis.login("AUTH", "other");

			this.redis.command("CLIENT", "KILL", "TYPE", "normal");
			Instances.await("rejected")
				.until(() -> catchThrowableOfType(LockStoreException.class,
						() -> locks.tryAcquire(LockTarget.of("job"))) != null
						&& String.valueOf(this.redis.command("INFO", "errorstats")).contains("errorstat_NOAUTH"));
			this.redis.command("CONFIG", "SET", "requirepass", "");

			Instances.await("accepted again").ignoreExceptions().until(() -> {
				locks.acquire(LockTarget.of("job"), PATIENT).close();
				return true;
			});
		}
	}

	/**
	 * Places in shared locks are acquired with one request each.
	 */
	@Test
	void requestQueueOfTheApplicationDoesNotLimitLocks() {
		this.redis = RedisProcess.start();
		RedisConnectionFactory application = lettuce(ClientOptions.builder().requestQueueSize(8));
		try (RedisLockTemplate locks = connected(application)) {
			LockOptions once = LockOptions.options().retry(0);

			List<CompletableFuture<AsyncLockHandle>> held = IntStream.range(0, 1_000)
				.mapToObj((number) -> locks.async().acquire(LockTarget.of("job:" + number).forReading(), once))
				.toList();

			held.forEach((lock) -> assertThat(lock).succeedsWithin(Duration.ofSeconds(20)));
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void proxyOfAConnectionFactoryIsLookedThrough(boolean ofTheClass) {
		this.redis = RedisProcess.start();
		ProxyFactory proxy = new ProxyFactory(lettuce(address(), LettuceClientConfiguration.defaultConfiguration()));
		proxy.setProxyTargetClass(ofTheClass);
		RedisConnectionFactory application = (RedisConnectionFactory) proxy.getProxy();

		assertThat(RedisAddress.describe(application)).isEqualTo("127.0.0.1:%d, database 0", this.redis.port());
		assertThat(connectionsOfLocks(application)).isNotEmpty();
	}

	@Test
	void useOfTheApplicationsConnectionsIsLogged() {
		this.redis = RedisProcess.start();
		try (LogRecorder log = LogRecorder.debugOf(LockConnections.class.getName());
				RedisLockTemplate locks = new RedisLockTemplate(
						new ForeignConnectionFactory(this.redis::connectionFactory))) {
			assertThat(log.lines())
				.containsOnlyOnce("INFO Locks use the connections of a class %s, with its timeouts and limits"
					.formatted(ForeignConnectionFactory.class.getName()));
		}
	}

	/**
	 * Let one instance hand a lock over to another, and return the connections of both
	 * while the other waits.
	 */
	private List<String> connectionsOfLocks(RedisConnectionFactory application) {
		try (RedisLockTemplate holder = new RedisLockTemplate(application);
				RedisLockTemplate waiter = new RedisLockTemplate(application)) {
			LockHandle lock = holder.acquire(LockTarget.of("job"), PATIENT);
			CompletableFuture<Void> served = CompletableFuture
				.runAsync(() -> waiter.acquire(LockTarget.of("job"), PATIENT).close(), OwnThread::run);
			List<String> connections = Instances.await("subscription of a waiter")
				.until(this::connections, (open) -> Instances.waiting(waiter) == 1 && open.stream().anyMatch(SUBSCRIBED)
						&& open.stream().noneMatch(LOGGING_IN));
			lock.close();
			Instances.get(served);
			return connections;
		}
	}

	private static RedisLockTemplate connected(RedisConnectionFactory application) {
		RedisLockTemplate locks = new RedisLockTemplate(application);
		locks.acquire(LockTarget.of("job"), PATIENT).close();
		return locks;
	}

	private List<String> connections() {
		return String.valueOf(this.redis.command("CLIENT", "LIST"))
			.lines()
			.filter((connection) -> connection.contains(" name=redis-lock "))
			.toList();
	}

	private static LockStoreException failure(RedisConnectionFactory application) {
		RedisLockStoreOptions patient = RedisLockStoreOptions.defaults().commandTimeout(Duration.ofSeconds(20));
		try (RedisLockTemplate locks = new RedisLockTemplate(RedisLockStore.create(application, patient),
				LockConfiguration.defaults())) {
			return catchThrowableOfType(LockStoreException.class, () -> locks.tryAcquire(LockTarget.of("job")));
		}
	}

	/**
	 * Start a Redis with a user and a password.
	 */
	private void startWithUser(String... options) {
		this.redis = RedisProcess.start(
				Stream
					.concat(Stream.of("user default off", "user boss on >secret ~* &* +@all",
							"user tester on >tester ~* &* +@all"), Stream.of(options))
					.toArray(String[]::new));
		this.redis.login("AUTH", "tester", "tester");
		this.redis.awaitReply();
	}

	/**
	 * Start a Redis that requires its own certificate from its clients as well.
	 */
	private RedisStandaloneConfiguration startEncrypted(String host) {
		int port = RedisProcess.freePort();
		this.redis = RedisProcess.start(certificate.redisOptions(port));
		return address(host, port);
	}

	private RedisStandaloneConfiguration address() {
		return address("127.0.0.1", this.redis.port());
	}

	private static RedisStandaloneConfiguration address(String host, int port) {
		return new RedisStandaloneConfiguration(host, port);
	}

	/**
	 * Return an application that presents and trusts the certificate.
	 * @param checked whether it verifies the host name
	 */
	private RedisConnectionFactory encrypted(Client client, RedisStandaloneConfiguration address, boolean checked) {
		return switch (client) {
			case LETTUCE -> lettuce(address,
					LettuceClientConfiguration.builder()
						.useSsl()
						.verifyPeer(checked ? SslVerifyMode.FULL : SslVerifyMode.CA)
						.and()
						.clientOptions(options(SslOptions.builder()
							.keyManager(certificate.keyManagers())
							.trustManager(certificate.trustManagers())))
						.build());
			case JEDIS -> {
				SSLParameters parameters = new SSLParameters();
				parameters.setEndpointIdentificationAlgorithm(checked ? "HTTPS" : null);
				yield jedis(address,
						JedisClientConfiguration.builder()
							.useSsl()
							.sslSocketFactory(certificate.sslContext().getSocketFactory())
							.sslParameters(parameters)
							.build());
			}
		};
	}

	private static ClientOptions options(SslOptions.Builder ssl) {
		return ClientOptions.builder().sslOptions(ssl.build()).build();
	}

	private static RedisCredentialsProviderFactory providing(RedisCredentialsProvider provider) {
		return new RedisCredentialsProviderFactory() {

			@Override
			public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
				return provider;
			}

		};
	}

	/**
	 * Calls a method that Spring Data 4.0 also has.
	 */
	@SuppressWarnings("deprecation")
	private static JedisClientConfiguration providing(Supplier<redis.clients.jedis.RedisCredentials> credentials) {
		return JedisClientConfiguration.builder()
			.customize((config) -> config.credentialsProvider(credentials))
			.build();
	}

	private RedisConnectionFactory plain(Client client, RedisConfiguration redis) {
		return switch (client) {
			case LETTUCE -> lettuce(redis, LettuceClients.DEFAULTS);
			case JEDIS -> jedis(redis, JedisClientConfiguration.defaultConfiguration());
		};
	}

	private RedisConnectionFactory lettuce(ClientOptions.Builder options) {
		return lettuce(address(), LettuceClientConfiguration.builder().clientOptions(options.build()).build());
	}

	private RedisConnectionFactory lettuce(RedisConfiguration redis, LettuceClientConfiguration client) {
		return this.redis.connectionFactory(new LettuceConnectionFactory(redis, client));
	}

	private RedisConnectionFactory jedis(RedisConfiguration redis, JedisClientConfiguration client) {
		JedisConnectionFactory factory;
		if (redis instanceof RedisSentinelConfiguration group) {
			factory = new JedisConnectionFactory(group, client);
		}
		else if (redis instanceof RedisClusterConfiguration cluster) {
			factory = new JedisConnectionFactory(cluster, client);
		}
		else {
			factory = new JedisConnectionFactory((RedisStandaloneConfiguration) redis, client);
		}
		factory.afterPropertiesSet();
		factory.start();
		this.jedis.add(factory);
		return factory;
	}

	private enum Client {

		LETTUCE, JEDIS

	}

}
