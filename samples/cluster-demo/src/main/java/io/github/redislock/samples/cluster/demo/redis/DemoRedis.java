package io.github.redislock.samples.cluster.demo.redis;

import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import redis.embedded.RedisExecProvider;

/**
 * A real Redis in a process of its own, which keeps nothing.
 * <p>
 * It runs as a daemon, so it does not hear the Ctrl-C that is meant for the
 * demonstration; and beside it waits a shell that ends it when this process is gone, in
 * whatever way.
 */
final class DemoRedis implements AutoCloseable {

	static final String HOST = "127.0.0.1";

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final String WATCH = "trap '' INT TERM HUP; while read -r line; do :; done; kill \"$0\"";

	private final int port;

	private final ProcessHandle server;

	private final Process watcher;

	private DemoRedis(int port, ProcessHandle server, Process watcher) {
		this.port = port;
		this.server = server;
		this.watcher = watcher;
	}

	/**
	 * Start a Redis that only this machine can reach.
	 */
	static DemoRedis start() throws IOException, InterruptedException {
		File executable = executable();
		Path pidFile = executable.toPath().toAbsolutePath().resolveSibling("redis.pid");
		Path log = pidFile.resolveSibling("redis.log");
		pidFile.toFile().deleteOnExit();
		log.toFile().deleteOnExit();
		int port = freePort();
		new ProcessBuilder(executable.getPath(), "--bind", HOST, "--port", Integer.toString(port), "--save", "",
				"--daemonize", "yes", "--pidfile", pidFile.toString(), "--logfile", log.toString())
			.inheritIO()
			.start()
			.waitFor();
		long end = System.nanoTime() + PATIENCE.toNanos();
		while (pidOf(pidFile).isEmpty() || !answers(port)) {
			if (System.nanoTime() - end > 0) {
				throw new IOException("Redis did not start within %ds, see %s".formatted(PATIENCE.toSeconds(), log));
			}
			Thread.sleep(10);
		}
		String pid = pidOf(pidFile);
		Process watcher = new ProcessBuilder("/bin/sh", "-c", WATCH, pid).start();
		return new DemoRedis(port, ProcessHandle.of(Long.parseLong(pid)).orElseThrow(), watcher);
	}

	int port() {
		return this.port;
	}

	@Override
	public void close() throws IOException {
		this.watcher.getOutputStream().close();
		this.server.onExit().join();
	}

	private static File executable() throws IOException {
		try {
			return RedisExecProvider.defaultProvider().get();
		}
		catch (RuntimeException ex) {
			throw new IOException("There is no Redis to bring along for this system. Name yours:"
					+ " --cluster-demo.embedded-redis=false --spring.data.redis.host=…", ex);
		}
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket()) {
			socket.bind(new InetSocketAddress(HOST, 0));
			return socket.getLocalPort();
		}
	}

	private static String pidOf(Path pidFile) throws IOException {
		return Files.exists(pidFile) ? Files.readString(pidFile).strip() : "";
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
