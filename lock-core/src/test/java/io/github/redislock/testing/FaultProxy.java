package io.github.redislock.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * A network between a client and Redis that can fail like a real network.
 * <p>
 * Like TCP, it never loses bytes within a connection. Data that is held back is delivered
 * later, or lost together with its connection.
 */
public final class FaultProxy implements AutoCloseable {

	private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

	private static final byte[] SUBSCRIBE = "SUBSCRIBE".getBytes(StandardCharsets.UTF_8);

	private final InetSocketAddress redis;

	private final ServerSocket listener;

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	private final AtomicReference<@Nullable Trap> trap = new AtomicReference<>();

	private final AtomicInteger accepted = new AtomicInteger();

	private volatile Duration delay = Duration.ZERO;

	private volatile boolean refusing;

	private volatile boolean isolated;

	private FaultProxy(int redisPort) throws IOException {
		this.redis = new InetSocketAddress(LOOPBACK, redisPort);
		this.listener = new ServerSocket(0, 50, LOOPBACK);
		run("accept", this::accept);
	}

	/**
	 * Start a proxy in front of a Redis on this machine.
	 */
	public static FaultProxy before(int redisPort) {
		try {
			return new FaultProxy(redisPort);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * Return how many connections were accepted so far.
	 */
	public int accepted() {
		return this.accepted.get();
	}

	/**
	 * Cut the connection of the next request that contains a text after Redis has
	 * replied, but before the client has the reply.
	 * @return completes after Redis has replied and before the client notices; dependent
	 * stages run at that moment
	 */
	public CompletableFuture<@Nullable Void> cutBeforeReplyTo(String text, Cut cut) {
		Trap set = new Trap(text.getBytes(StandardCharsets.UTF_8), cut, new CompletableFuture<>());
		this.trap.set(set);
		return set.sprung();
	}

	/**
	 * Hold back what clients send on all current connections. Later connections work.
	 */
	public void holdRequests() {
		this.links.forEach((link) -> link.requests.close());
	}

	/**
	 * Hold back what Redis sends on all current connections. Later connections work.
	 */
	public void holdReplies() {
		this.links.forEach((link) -> link.replies.close());
	}

	/**
	 * Hold back what Redis sends on all current connections with a subscription. All
	 * other and all later connections work.
	 */
	public void holdMessages() {
		this.links.stream().filter((link) -> link.subscribed).forEach((link) -> link.replies.close());
	}

	/**
	 * Hold back everything in both directions, even on later connections, which appear to
	 * be accepted.
	 */
	public void isolate() {
		this.isolated = true;
		holdRequests();
		holdReplies();
	}

	/**
	 * End all current connections. Data that is held back never arrives.
	 */
	public void drop() {
		this.links.forEach(Link::drop);
	}

	/**
	 * Deliver what was held back, and stop holding data back.
	 */
	public void flow() {
		this.refusing = false;
		this.isolated = false;
		this.links.forEach((link) -> {
			link.requests.open();
			link.replies.open();
		});
	}

	/**
	 * End the client side of all current connections. Requests that are held back reach
	 * Redis after {@link #flow()}.
	 */
	public void cutClients(Cut cut) {
		this.links.forEach((link) -> link.cut(cut));
	}

	/**
	 * End the client side of current connections with a subscription, like
	 * {@link #cutClients}.
	 */
	public void cutSubscriptions(Cut cut) {
		this.links.stream().filter((link) -> link.subscribed).forEach((link) -> link.cut(cut));
	}

	/**
	 * Reset every new connection immediately until {@link #flow()} is called.
	 */
	public void refuse() {
		this.refusing = true;
	}

	/**
	 * Delay each reply by that time.
	 */
	public void delay(Duration delay) {
		this.delay = delay;
	}

	@Override
	public void close() {
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.links.forEach(Link::end);
	}

	private void accept() throws IOException {
		while (!this.listener.isClosed()) {
			Socket client = this.listener.accept();
			this.accepted.incrementAndGet();
			if (this.refusing) {
				client.setSoLinger(true, 0);
				client.close();
				continue;
			}
			Socket server = new Socket();
			try {
				server.connect(this.redis);
			}
			catch (IOException ex) {
				// Behave as if no server listened here either.
				client.setSoLinger(true, 0);
				client.close();
				continue;
			}
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
			Link link = new Link(client, server);
			this.links.add(link);
			if (this.isolated) {
				link.requests.close();
				link.replies.close();
			}
			run("requests", link::forwardRequests);
			run("replies", link::forwardReplies);
		}
	}

	private static void run(String name, NetworkTask task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (IOException ex) {
				// A connection ended, which is what this class does.
			}
		}, "fault-proxy-" + name);
		thread.setDaemon(true);
		thread.start();
	}

	private static boolean contains(byte[] bytes, byte[] part) {
		for (int start = 0; start + part.length <= bytes.length; start++) {
			if (Arrays.equals(bytes, start, start + part.length, part, 0, part.length)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * How a connection ends.
	 */
	public enum Cut {

		/** Orderly, with the end of the stream. */
		FIN,

		/** By a reset. */
		RST

	}

	private interface NetworkTask {

		void run() throws IOException;

	}

	/**
	 * The text to wait for, and the action that follows.
	 */
	private record Trap(byte[] text, Cut cut, CompletableFuture<@Nullable Void> sprung) {
	}

	/**
	 * Passes bytes on, or holds them back.
	 */
	private static final class Gate {

		private boolean closed;

		synchronized void close() {
			this.closed = true;
		}

		synchronized void open() {
			this.closed = false;
			notifyAll();
		}

		synchronized void pass() throws IOException {
			while (this.closed) {
				try {
					wait();
				}
				catch (InterruptedException ex) {
					throw new IOException(ex);
				}
			}
		}

	}

	/**
	 * A client's connection, and the connection from this proxy to Redis.
	 */
	private final class Link {

		private final Socket client;

		private final Socket server;

		private final Gate requests = new Gate();

		private final Gate replies = new Gate();

		private volatile @Nullable Trap caught;

		private volatile boolean subscribed;

		Link(Socket client, Socket server) {
			this.client = client;
			this.server = server;
		}

		void forwardRequests() throws IOException {
			try {
				forward(this.client, this.server, this::catchRequest, this.requests);
			}
			finally {
				this.server.shutdownOutput();
			}
		}

		void forwardReplies() throws IOException {
			try {
				forward(this.server, this.client, this::catchReply, this.replies);
			}
			finally {
				end();
			}
		}

		void cut(Cut cut) {
			try {
				if (cut == Cut.RST) {
					this.client.setSoLinger(true, 0);
					this.client.close();
				}
				else {
					this.client.shutdownOutput();
				}
			}
			catch (IOException ex) {
				// The socket was already closed.
			}
		}

		void drop() {
			cut(Cut.RST);
			try {
				// This must happen before the gate opens.
				this.server.close();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			end();
		}

		void end() {
			FaultProxy.this.links.remove(this);
			this.requests.open();
			this.replies.open();
			for (Socket socket : new Socket[] { this.client, this.server }) {
				try {
					socket.close();
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			}
		}

		private void forward(Socket from, Socket to, Catcher catcher, Gate gate) throws IOException {
			InputStream input = from.getInputStream();
			OutputStream output = to.getOutputStream();
			byte[] buffer = new byte[65_536];
			int count = read(input, buffer);
			while (count >= 0) {
				gate.pass();
				if (catcher.letsPass(Arrays.copyOf(buffer, count))) {
					output.write(buffer, 0, count);
				}
				count = read(input, buffer);
			}
		}

		private static int read(InputStream input, byte[] buffer) {
			try {
				return input.read(buffer);
			}
			catch (IOException ex) {
				return -1;
			}
		}

		private boolean catchRequest(byte[] bytes) {
			this.subscribed |= contains(bytes, SUBSCRIBE);
			Trap set = FaultProxy.this.trap.get();
			if (set != null && contains(bytes, set.text()) && FaultProxy.this.trap.compareAndSet(set, null)) {
				this.caught = set;
			}
			return true;
		}

		private boolean catchReply(byte[] bytes) {
			Trap sprung = this.caught;
			if (sprung != null) {
				this.caught = null;
				sprung.sprung().complete(null);
				cut(sprung.cut());
				return false;
			}
			LockSupport.parkNanos(FaultProxy.this.delay.toNanos());
			return true;
		}

	}

	private interface Catcher {

		boolean letsPass(byte[] bytes);

	}

}
