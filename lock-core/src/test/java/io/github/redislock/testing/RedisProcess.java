package io.github.redislock.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.FileSystemUtils;

/**
 * A Redis server on this machine that a test may freeze, kill and restart.
 * {@link TestRedis} describes which program it is.
 */
public final class RedisProcess implements AutoCloseable {

	static final String NOT_INSTALLED = RedisProgram.TESTED.path() + " is missing: apt-get install redis-server";

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final int port;

	private final Path directory;

	private final Map<String, String> environment;

	private final List<String> arguments;

	private final List<LettuceConnectionFactory> factories = new ArrayList<>();

	private String[] login = {};

	private Process process;

	private volatile boolean frozen;

	private RedisProcess(int port, Path directory, Map<String, String> environment, List<String> arguments)
			throws IOException {
		this.port = port;
		this.directory = directory;
		this.environment = environment;
		this.arguments = arguments;
		this.process = run();
	}

	static boolean isInstalled() {
		return RedisProgram.TESTED.isInstalled();
	}

	/**
	 * Start a server that replies.
	 * @param options lines of its configuration
	 */
	public static RedisProcess start(String... options) {
		return start(Map.of(), options);
	}

	/**
	 * Start a server with more environment variables, and wait until it replies.
	 * @param environment additions to the variables of this process
	 * @param options lines of its configuration
	 */
	public static RedisProcess start(Map<String, String> environment, String... options) {
		RedisProcess redis = launch(environment, options);
		redis.awaitReply();
		return redis;
	}

	/**
	 * Start a server that may reply with errors.
	 * @param options lines of its configuration
	 */
	public static RedisProcess launch(String... options) {
		return launch(Map.of(), options);
	}

	/**
	 * Start a server at a given port, without waiting for a reply.
	 */
	static RedisProcess launch(int port, String... options) {
		return launch(port, Map.of(), List.of(), options);
	}

	/**
	 * Start a sentinel, without waiting for a reply.
	 */
	public static RedisProcess launchSentinel(int port, String... options) {
		return launch(port, Map.of(), List.of("--sentinel"), options);
	}

	private static RedisProcess launch(Map<String, String> environment, String... options) {
		return launch(freePort(), environment, List.of(), options);
	}

	private static RedisProcess launch(int port, Map<String, String> environment, List<String> arguments,
			String... options) {
		if (!isInstalled()) {
			throw new IllegalStateException(NOT_INSTALLED);
		}
		try {
			Path directory = Files.createTempDirectory("lock-redis");
			List<String> lines = new ArrayList<>(
					List.of("bind 127.0.0.1", "port " + port, "dir " + directory, "save \"\"", "appendonly no",
							// Synchronize replicas immediately.
							"repl-diskless-sync-delay 0"));
			lines.addAll(RedisProgram.TESTED.debugging());
			lines.addAll(List.of(options));
			Files.write(directory.resolve("redis.conf"), lines);
			return new RedisProcess(port, directory, environment, arguments);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return a port on which no program listens, and on which a server may be restarted.
	 */
	public static int freePort() {
		return Ports.next();
	}

	public int port() {
		return this.port;
	}

	public Path directory() {
		return this.directory;
	}

	/**
	 * Return a new connection factory with default options, closed together with this
	 * Redis.
	 */
	public LettuceConnectionFactory connectionFactory() {
		return connectionFactory(this.port);
	}

	/**
	 * Return a new connection factory for this Redis or a proxy in front of it.
	 */
	public LettuceConnectionFactory connectionFactory(int port) {
		return connectionFactory(LettuceClients.factory(port));
	}

	/**
	 * Start a connection factory, and close it together with this Redis.
	 */
	public LettuceConnectionFactory connectionFactory(LettuceConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		this.factories.add(factory);
		return factory;
	}

	/**
	 * Log in with these words for {@link #command commands}.
	 */
	public void login(String... words) {
		this.login = words;
	}

	/**
	 * Send a command past any proxy and return its reply: a text, a number, a list or
	 * {@code null}.
	 * @throws IllegalStateException with the text of an error reply
	 */
	public @Nullable Object command(String... words) {
		return commands(List.<String[]>of(words));
	}

	/**
	 * Send several commands on one connection and return the last reply.
	 */
	@Nullable Object commands(List<String[]> commands) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			socket.setSoTimeout((int) PATIENCE.toMillis());
			InputStream input = new BufferedInputStream(socket.getInputStream());
			if (this.login.length > 0) {
				socket.getOutputStream().write(request(this.login));
				reply(input);
			}
			Object last = null;
			for (String[] words : commands) {
				socket.getOutputStream().write(request(words));
				last = reply(input);
			}
			return last;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return how often each command was executed since the statistics were reset,
	 * including those inside scripts.
	 */
	public Map<String, Long> commandCounts() {
		Map<String, Long> counts = new TreeMap<>();
		String.valueOf(command("INFO", "commandstats"))
			.lines()
			.filter((line) -> line.contains(":calls="))
			.forEach((line) -> {
				String name = line.substring("cmdstat_".length(), line.indexOf(':'));
				String calls = line.substring(line.indexOf('=') + 1, line.indexOf(','));
				counts.put(name, Long.valueOf(calls));
			});
		return counts;
	}

	/**
	 * Freeze the process, which does not detect this.
	 */
	public void freeze() {
		Signals.stop(this.process);
		this.frozen = true;
	}

	/**
	 * Let a frozen process resume.
	 */
	public void thaw() {
		Signals.resume(this.process);
		this.frozen = false;
	}

	/**
	 * Return whether the process is alive, even if it is frozen.
	 */
	public boolean isAlive() {
		return this.process.isAlive();
	}

	/**
	 * Return whether the process is neither frozen nor dead.
	 */
	public boolean isRunning() {
		return !this.frozen && this.process.isAlive();
	}

	/**
	 * Kill the process, as a crash of its machine would.
	 */
	public void kill() {
		this.process.destroyForcibly();
		Signals.awaitEnd(this.process);
		this.frozen = false;
	}

	/**
	 * Start again after {@link #kill()}, on the same port.
	 */
	public void restart() {
		relaunch();
		awaitReply();
	}

	/**
	 * Start again after {@link #kill()}, without waiting for a reply.
	 */
	public void relaunch() {
		try {
			this.process = run();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		kill();
		this.factories.forEach(LettuceConnectionFactory::destroy);
		// A child process that saves ends a moment later, and may still write.
		Awaitility.await()
			.atMost(PATIENCE)
			.pollDelay(Duration.ZERO)
			.ignoreExceptionsInstanceOf(IOException.class)
			.until(() -> {
				FileSystemUtils.deleteRecursively(this.directory);
				return !Files.exists(this.directory);
			});
	}

	/**
	 * Wait until the server replies, even with an error.
	 */
	public void awaitReply() {
		Awaitility.await().atMost(PATIENCE).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(10)).until(() -> {
			if (!this.process.isAlive()) {
				throw new IllegalStateException("redis-server ended:\n" + log());
			}
			try {
				command("PING");
				return true;
			}
			catch (UncheckedIOException ex) {
				return false;
			}
			catch (IllegalStateException ex) {
				return !String.valueOf(ex.getMessage()).startsWith("LOADING");
			}
		});
	}

	private String log() throws IOException {
		return Files.readString(this.directory.resolve("redis.log"));
	}

	private Process run() throws IOException {
		List<String> words = new ArrayList<>(
				List.of(RedisProgram.TESTED.path().toString(), this.directory.resolve("redis.conf").toString()));
		words.addAll(this.arguments);
		ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true)
			.redirectOutput(this.directory.resolve("redis.log").toFile());
		builder.environment().putAll(this.environment);
		return Signals.start(builder);
	}

	private static byte[] request(String... words) throws IOException {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		Consumer<byte[]> line = (text) -> {
			bytes.writeBytes(text);
			bytes.writeBytes(new byte[] { '\r', '\n' });
		};
		line.accept(utf8("*" + words.length));
		for (String word : words) {
			byte[] content = utf8(word);
			line.accept(utf8("$" + content.length));
			line.accept(content);
		}
		return bytes.toByteArray();
	}

	private static @Nullable Object reply(InputStream input) throws IOException {
		String head = line(input);
		String rest = head.substring(1);
		return switch (head.charAt(0)) {
			case '+' -> rest;
			case ':' -> Long.valueOf(rest);
			case '$' -> bulk(input, Integer.parseInt(rest));
			case '*' -> {
				List<@Nullable Object> items = new ArrayList<>();
				for (int left = Integer.parseInt(rest); left > 0; left--) {
					items.add(reply(input));
				}
				yield items;
			}
			default -> throw new IllegalStateException(rest);
		};
	}

	private static @Nullable String bulk(InputStream input, int length) throws IOException {
		if (length < 0) {
			return null;
		}
		byte[] content = input.readNBytes(length);
		line(input);
		return new String(content, StandardCharsets.UTF_8);
	}

	private static String line(InputStream input) throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		for (int next = input.read(); next != '\n'; next = input.read()) {
			if (next < 0) {
				throw new IOException("Redis closed the connection");
			}
			if (next != '\r') {
				line.write(next);
			}
		}
		return line.toString(StandardCharsets.UTF_8);
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
