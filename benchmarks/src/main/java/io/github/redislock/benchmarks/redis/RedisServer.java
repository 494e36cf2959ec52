package io.github.redislock.benchmarks.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The Redis under test: a dedicated process on this machine, or a server that is already
 * running.
 */
public final class RedisServer implements AutoCloseable {

	/** The installed server. */
	public static final Path PROGRAM = Path.of(System.getProperty("benchmarks.server", "/usr/bin/redis-server"));

	private final String host;

	private final int port;

	private final AutoCloseable process;

	private RedisServer(String host, int port, AutoCloseable process) {
		this.host = host;
		this.port = port;
		this.process = process;
	}

	/**
	 * Connect to a running server, or start the installed one, or the embedded one if
	 * none is installed.
	 * @param address {@code host:port} of a running server, or {@code null}
	 * @return a running server
	 * @throws IOException if the server does not start
	 */
	public static RedisServer start(@Nullable String address) throws IOException {
		if (address != null) {
			int colon = address.lastIndexOf(':');
			return new RedisServer(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)), () -> {
			});
		}
		return start(PROGRAM);
	}

	/**
	 * Start a server, or the embedded one if there is no such program.
	 * @param program the server's program
	 * @return a running server
	 * @throws IOException if the server does not start
	 */
	public static RedisServer start(Path program) throws IOException {
		int port = freePort();
		return new RedisServer("127.0.0.1", port,
				Files.isExecutable(program) ? installed(program, port) : embedded(port));
	}

	public String host() {
		return this.host;
	}

	public int port() {
		return this.port;
	}

	public RedisConsole console() {
		return new RedisConsole(this.host, this.port);
	}

	/**
	 * Return whether a Redis server is installed on this machine. If so, {@link #start}
	 * without an address starts it as a separate process.
	 */
	public static boolean isProcess() {
		return Files.isExecutable(PROGRAM);
	}

	/**
	 * Return whether this benchmark started the server as a separate process.
	 */
	public boolean isOwnProcess() {
		return this.process instanceof Installed;
	}

	/**
	 * Return the process ID.
	 * @throws IllegalStateException if the server was not started as a process
	 */
	public long pid() {
		if (!(this.process instanceof Installed installed)) {
			throw new IllegalStateException(
					"The process ID is known only if this benchmark started the installed redis-server");
		}
		return installed.process().pid();
	}

	/**
	 * Freeze the server until it is closed.
	 * @throws IOException if the signal cannot be sent
	 */
	public void freeze() throws IOException {
		new ProcessBuilder("kill", "-STOP", Long.toString(pid())).inheritIO().start().onExit().join();
	}

	@Override
	public void close() throws Exception {
		this.process.close();
	}

	private static AutoCloseable installed(Path program, int port) throws IOException {
		Path directory = Files.createTempDirectory("benchmark-redis");
		List<String> command = List.of(program.toString(), "--save", "", "--appendonly", "no", "--bind", "127.0.0.1",
				"--port", Integer.toString(port), "--dir", directory.toString());
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(directory.resolve("redis.log").toFile())
			.start();
		Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
		return new Installed(process, directory);
	}

	private static AutoCloseable embedded(int port) throws IOException {
		redis.embedded.RedisServer server = redis.embedded.RedisServer.builder()
			.port(port)
			.bind("127.0.0.1")
			.setting("save \"\"")
			.setting("appendonly no")
			.build();
		server.start();
		return server::stop;
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	private record Installed(Process process, Path directory) implements AutoCloseable {

		@Override
		public void close() throws IOException {
			this.process.destroyForcibly();
			this.process.onExit().join();
			Files.deleteIfExists(this.directory.resolve("redis.log"));
			Files.deleteIfExists(this.directory);
		}

	}

}
