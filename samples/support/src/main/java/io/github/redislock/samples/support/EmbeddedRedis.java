package io.github.redislock.samples.support;

import java.io.File;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import redis.embedded.RedisExecProvider;

/**
 * A real Redis in a separate process. It writes its data to a temporary folder. When this
 * JVM ends, even by {@code kill -9}, the process is ended and the folder is deleted.
 * <p>
 * Redis runs as a daemon, so Ctrl-C for the application does not stop Redis before the
 * application has released its locks.
 */
public final class EmbeddedRedis implements AutoCloseable {

	/** An address that only this machine can reach. */
	public static final String HOST = "127.0.0.1";

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final int port;

	private final Watchdog watchdog;

	private EmbeddedRedis(int port, Watchdog watchdog) {
		this.port = port;
		this.watchdog = watchdog;
	}

	/**
	 * Start a Redis.
	 * @param wantedPort the port, or 0 for any free port
	 * @throws RedisNotStartedException if there is no Redis for this system, the port is
	 * taken, or Redis does not reply
	 */
	public static EmbeddedRedis start(int wantedPort) {
		try {
			File executable = executable();
			int port = freePort(wantedPort);
			Watchdog watchdog = Watchdog.start();
			try {
				launch(executable.toPath(), port, watchdog);
				return new EmbeddedRedis(port, watchdog);
			}
			catch (IOException | InterruptedException | RuntimeException ex) {
				watchdog.close();
				throw ex;
			}
		}
		catch (IOException | RuntimeException ex) {
			throw new RedisNotStartedException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RedisNotStartedException(ex);
		}
	}

	public int port() {
		return this.port;
	}

	@Override
	public void close() throws IOException {
		this.watchdog.close();
	}

	private static File executable() throws IOException {
		try {
			return RedisExecProvider.defaultProvider().get();
		}
		catch (RuntimeException ex) {
			throw new IOException("no Redis executable is bundled for %s on %s".formatted(System.getProperty("os.name"),
					System.getProperty("os.arch")), ex);
		}
	}

	private static int freePort(int wanted) throws IOException {
		try (ServerSocket socket = new ServerSocket()) {
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress(HOST, wanted));
			return socket.getLocalPort();
		}
		catch (BindException ex) {
			throw new IOException("port %d is taken".formatted(wanted), ex);
		}
	}

	private static void launch(Path extracted, int port, Watchdog watchdog) throws IOException, InterruptedException {
		Path executable = Files.move(extracted, watchdog.folder().resolve("redis-server"));
		Files.delete(extracted.getParent());
		Path log = watchdog.folder().resolve("log");
		new ProcessBuilder(executable.toString(), "--bind", HOST, "--port", Integer.toString(port), "--save", "",
				"--appendonly", "yes", "--dir", watchdog.folder().toString(), "--daemonize", "yes", "--pidfile",
				watchdog.pidFile().toString())
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start()
			.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		long end = System.nanoTime() + PATIENCE.toNanos();
		while (!isWritten(watchdog.pidFile()) || !replies(port)) {
			if (System.nanoTime() - end > 0) {
				throw new IOException("it does not reply; its output is: " + Files.readString(log));
			}
			Thread.sleep(10);
		}
		// Delete the file when Redis ends, because another process may then get its
		// process ID.
		ProcessHandle.of(Long.parseLong(Files.readString(watchdog.pidFile()).strip()))
			.orElseThrow()
			.onExit()
			.thenRun(watchdog.pidFile().toFile()::delete);
	}

	private static boolean isWritten(Path file) throws IOException {
		return Files.exists(file) && Files.size(file) > 0;
	}

	private static boolean replies(int port) {
		try (Socket socket = new Socket(HOST, port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
