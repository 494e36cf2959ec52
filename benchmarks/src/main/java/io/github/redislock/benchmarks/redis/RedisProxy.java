package io.github.redislock.benchmarks.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntBiFunction;

/**
 * A proxy between clients and Redis that counts requests and messages, and can add a
 * delay.
 * <p>
 * It delays the traffic but does not limit it: each piece of data is forwarded in order
 * after its delay, however much data is in transit. Therefore the proxy is a bottleneck
 * only if the processor is one.
 */
public final class RedisProxy implements AutoCloseable {

	private static final int BACKLOG = 200;

	private static final int BUFFER = 65_536;

	private final InetSocketAddress redis;

	private final Duration delay;

	private final ServerSocket listener;

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final AtomicLong requests = new AtomicLong();

	private final AtomicLong messages = new AtomicLong();

	private RedisProxy(RedisServer server, Duration delay) throws IOException {
		this.redis = new InetSocketAddress(server.host(), server.port());
		this.delay = delay;
		this.listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
	}

	/**
	 * Start a proxy.
	 * @param server the server behind the proxy
	 * @param delay the additional delay of each direction
	 * @return a listening proxy
	 * @throws IOException if the proxy cannot listen
	 */
	public static RedisProxy before(RedisServer server, Duration delay) throws IOException {
		RedisProxy proxy = new RedisProxy(server, delay);
		start("accept", proxy::accept);
		return proxy;
	}

	public int port() {
		return this.listener.getLocalPort();
	}

	public Traffic traffic() {
		return new Traffic(this.requests.get(), this.messages.get());
	}

	public RedisConsole console() {
		return new RedisConsole("127.0.0.1", port());
	}

	@Override
	public void close() throws IOException {
		this.listener.close();
		for (Socket socket : this.sockets) {
			socket.close();
		}
	}

	private void accept() throws IOException {
		while (!this.listener.isClosed()) {
			Socket client = this.listener.accept();
			Socket server = new Socket();
			server.connect(this.redis);
			for (Socket socket : new Socket[] { client, server }) {
				socket.setTcpNoDelay(true);
				this.sockets.add(socket);
			}
			RequestCounter requestCounter = new RequestCounter();
			MessageCounter messageCounter = new MessageCounter();
			start("requests", () -> forward(client, server, requestCounter::count, this.requests));
			start("replies", () -> forward(server, client, messageCounter::count, this.messages));
		}
	}

	private void forward(Socket from, Socket to, ToIntBiFunction<byte[], Integer> counter, AtomicLong counted)
			throws IOException {
		try (from; to; Passage passage = passage(to)) {
			byte[] buffer = new byte[BUFFER];
			int length = from.getInputStream().read(buffer);
			while (length >= 0) {
				counted.addAndGet(counter.applyAsInt(buffer, length));
				passage.send(buffer, length);
				length = from.getInputStream().read(buffer);
			}
		}
		finally {
			this.sockets.remove(from);
		}
	}

	private Passage passage(Socket to) throws IOException {
		return this.delay.isZero() ? new DirectPassage(to) : new DelayedPassage(to, this.delay);
	}

	private static void start(String name, NetworkTask task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (IOException ex) {
				// A connection ended, which is normal.
			}
		}, "proxy-" + name);
		thread.setDaemon(true);
		thread.start();
	}

	private interface NetworkTask {

		void run() throws IOException;

	}

	interface Passage extends AutoCloseable {

		void send(byte[] buffer, int length) throws IOException;

		@Override
		void close();

	}

	private static final class DirectPassage implements Passage {

		private final Socket to;

		DirectPassage(Socket to) {
			this.to = to;
		}

		@Override
		public void send(byte[] buffer, int length) throws IOException {
			this.to.getOutputStream().write(buffer, 0, length);
		}

		@Override
		public void close() {
		}

	}

}
