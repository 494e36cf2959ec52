package io.github.redislock.samples.quickstart.redis;

import java.io.File;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import redis.embedded.RedisExecProvider;

/**
 * A real Redis in a process of its own, which keeps nothing and ends with the
 * application.
 * <p>
 * It runs as a daemon: so it neither hears the Ctrl-C that is meant for the application
 * nor stops, in a shutdown hook of its own, before the application has released its
 * locks.
 */
final class EmbeddedRedis {

	static final String HOST = "127.0.0.1";

	private static final Log logger = LogFactory.getLog(EmbeddedRedis.class);

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final ProcessHandle process;

	private final int port;

	private EmbeddedRedis(ProcessHandle process, int port) {
		this.process = process;
		this.port = port;
	}

	/**
	 * Start a Redis that only this machine can reach.
	 * @param wantedPort where it shall listen, or 0 for any free port
	 */
	static EmbeddedRedis start(int wantedPort) {
		try {
			File executable = executable();
			int port = freePort(wantedPort);
			EmbeddedRedis redis = new EmbeddedRedis(launch(executable, port), port);
			logger.info(
					"No Redis configured: started one on %s:%d for this run; use yours with --spring.data.redis.host=…"
						.formatted(HOST, port));
			return redis;
		}
		catch (IOException | RuntimeException ex) {
			throw new RedisNotStartedException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RedisNotStartedException(ex);
		}
	}

	int port() {
		return this.port;
	}

	void stop() {
		this.process.destroy();
	}

	private static File executable() throws IOException {
		try {
			return RedisExecProvider.defaultProvider().get();
		}
		catch (RuntimeException ex) {
			throw new IOException("there is none for %s on %s".formatted(System.getProperty("os.name"),
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

	private static ProcessHandle launch(File executable, int port) throws IOException, InterruptedException {
		File folder = executable.getParentFile();
		File pidFile = new File(folder, "redis.pid");
		File log = new File(folder, "redis.log");
		pidFile.deleteOnExit();
		log.deleteOnExit();
		Process launcher = new ProcessBuilder(executable.getPath(), "--bind", HOST, "--port", Integer.toString(port),
				"--save", "", "--dir", folder.getPath(), "--daemonize", "yes", "--pidfile", pidFile.getPath())
			.redirectErrorStream(true)
			.redirectOutput(log)
			.start();
		launcher.waitFor();
		Instant deadline = Instant.now().plus(PATIENCE);
		while (pidFile.length() == 0 || !answers(port)) {
			if (Instant.now().isAfter(deadline)) {
				throw new IOException("it does not answer; it said: " + Files.readString(log.toPath()));
			}
			Thread.sleep(10);
		}
		return ProcessHandle.of(Long.parseLong(Files.readString(pidFile.toPath()).strip())).orElseThrow();
	}

	private static boolean answers(int port) {
		try (Socket socket = new Socket(HOST, port)) {
			return socket.isConnected();
		}
		catch (IOException ex) {
			return false;
		}
	}

}
