package io.github.redislock.testing;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;
import redis.embedded.RedisServer;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A real Redis for tests: in a container if a Docker engine is available, otherwise the
 * server of the embedded Redis. Prints which one it is.
 * <p>
 * {@code LOCK_TEST_REDIS=docker} or {@code embedded} (environment or system property)
 * requires one of them; {@code auto} is the default. A path selects another server
 * program, such as an older Redis or Valkey, for {@link RedisProcess} too. The image is
 * {@code LOCK_TEST_REDIS_IMAGE}, or a local image called {@code redis}, or
 * {@code redis:7.4-alpine}.
 */
public final class TestRedis implements AutoCloseable {

	private static final int PORT = 6379;

	private static @Nullable TestRedis shared;

	private final String host;

	private final int port;

	private final AutoCloseable server;

	private final LettuceConnectionFactory connectionFactory;

	private TestRedis(String host, int port, AutoCloseable server) {
		this.host = host;
		this.port = port;
		this.server = server;
		this.connectionFactory = LettuceClients.factory(new RedisStandaloneConfiguration(host, port));
		this.connectionFactory.afterPropertiesSet();
		this.connectionFactory.start();
	}

	/**
	 * Return the Redis that all tests of this JVM share; it ends with the JVM.
	 */
	public static synchronized TestRedis shared() {
		TestRedis present = shared;
		if (present == null) {
			present = start();
			shared = present;
			Runtime.getRuntime().addShutdownHook(new Thread(present::close, "test-redis-stop"));
		}
		return present;
	}

	public String host() {
		return this.host;
	}

	public int port() {
		return this.port;
	}

	/**
	 * Return an application's connection factory, closed together with this Redis.
	 */
	public LettuceConnectionFactory connectionFactory() {
		return this.connectionFactory;
	}

	/**
	 * Delete all data, statistics and scripts.
	 */
	public void reset() {
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			connection.serverCommands().flushAll();
			connection.serverCommands().resetConfigStats();
			connection.scriptingCommands().scriptFlush();
		}
	}

	@Override
	public void close() {
		try {
			this.connectionFactory.destroy();
			this.server.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException("Test Redis did not stop", ex);
		}
	}

	private static TestRedis start() {
		String wish = setting("LOCK_TEST_REDIS").orElse("auto");
		if (RedisProgram.isPath(wish)) {
			return program();
		}
		return switch (wish.toLowerCase(Locale.ROOT)) {
			case "docker" -> container();
			case "embedded" -> embedded();
			case "auto" -> DockerClientFactory.instance().isDockerAvailable() ? container() : embedded();
			default ->
				throw new IllegalArgumentException("LOCK_TEST_REDIS must be auto, docker, embedded or a path: " + wish);
		};
	}

	private static TestRedis container() {
		String image = setting("LOCK_TEST_REDIS_IMAGE").or(TestRedis::localImage).orElse("redis:7.4-alpine");
		GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(image)).withExposedPorts(PORT);
		container.start();
		say("container of image " + image + ", by Testcontainers");
		return new TestRedis(container.getHost(), container.getMappedPort(PORT), container);
	}

	private static TestRedis program() {
		RedisProcess server = RedisProcess.start();
		say(RedisProgram.TESTED.path() + ", version " + RedisProgram.TESTED.version() + ", by LOCK_TEST_REDIS");
		return new TestRedis("127.0.0.1", server.port(), server);
	}

	private static TestRedis embedded() {
		int port = Ports.next();
		RedisServer server = RedisServer.builder().port(port).bind("127.0.0.1").setting("save \"\"").build();
		server.start();
		say("embedded real server, since no Docker engine replies or by LOCK_TEST_REDIS");
		return new TestRedis("127.0.0.1", port, server::stop);
	}

	private static Optional<String> localImage() {
		return DockerClientFactory.instance()
			.client()
			.listImagesCmd()
			.exec()
			.stream()
			.flatMap((image) -> (image.getRepoTags() != null) ? Arrays.stream(image.getRepoTags()) : Stream.empty())
			.filter((tag) -> tag.startsWith("redis:"))
			.findFirst();
	}

	static Optional<String> setting(String name) {
		return Optional.ofNullable(System.getProperty(name, System.getenv(name)));
	}

	private static void say(String what) {
		System.out.println("[test redis] " + what);
	}

}
