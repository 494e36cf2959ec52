package io.github.redislock.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Receives every command that Redis executes, in order.
 */
final class Monitor implements AutoCloseable {

	private final Socket socket;

	private final Thread thread;

	/**
	 * Start.
	 * @param lines receives each line, on one thread
	 */
	Monitor(int redisPort, Consumer<String> lines) {
		try {
			this.socket = new Socket(InetAddress.getLoopbackAddress(), redisPort);
			this.socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.UTF_8));
			BufferedReader reader = new BufferedReader(
					new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8));
			reader.readLine();
			this.thread = new Thread(() -> reader.lines().forEach(lines), "redis-monitor");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.thread.setUncaughtExceptionHandler((thread, closed) -> {
			// The connection was closed.
		});
		this.thread.setDaemon(true);
		this.thread.start();
	}

	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
