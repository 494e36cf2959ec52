package io.github.redislock.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for servers that are killed and restarted. They are below the system's ephemeral
 * ports, which any connection may get while a server is down, and each JVM has a separate
 * block. The nodes of a Cluster use a second port, 10 000 higher, outside of both ranges.
 */
final class Ports {

	private static final int FIRST = 10_000;

	private static final int BLOCKS = 50;

	private static final int BLOCK = 200;

	/** Keeps other JVMs out of the block by listening at its first port. */
	private static final ServerSocket guard = claimBlock();

	private static final AtomicInteger last = new AtomicInteger();

	private Ports() {
	}

	/**
	 * Return a port without a server. Ports are reused only after all others.
	 */
	static int next() {
		for (int tries = 1; tries < BLOCK; tries++) {
			int port = guard.getLocalPort() + 1 + last.getAndIncrement() % (BLOCK - 1);
			try (ServerSocket free = listen(port)) {
				return free.getLocalPort();
			}
			catch (IOException ex) {
				// Try the next port.
			}
		}
		throw new IllegalStateException("All ports from " + guard.getLocalPort() + " on are taken");
	}

	private static ServerSocket claimBlock() {
		int begin = ThreadLocalRandom.current().nextInt(BLOCKS);
		for (int block = 0; block < BLOCKS; block++) {
			try {
				return listen(FIRST + BLOCK * ((begin + block) % BLOCKS));
			}
			catch (IOException ex) {
				// The block belongs to another JVM.
			}
		}
		throw new IllegalStateException("All blocks of ports are taken");
	}

	private static ServerSocket listen(int port) throws IOException {
		return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
	}

}
