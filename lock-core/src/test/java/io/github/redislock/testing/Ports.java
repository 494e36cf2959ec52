package io.github.redislock.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for servers that are killed and started again. They are below those that the
 * system chooses, which it may give to any connection while a server is down; and each
 * JVM has a block of its own. The nodes of a Cluster listen at a second port as well, 10
 * 000 above, where neither another block nor those of the system are.
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
	 * Return a port at which no server listens. It comes again when all others have had
	 * their turn.
	 */
	static int next() {
		for (int tries = 1; tries < BLOCK; tries++) {
			int port = guard.getLocalPort() + 1 + last.getAndIncrement() % (BLOCK - 1);
			try (ServerSocket free = listen(port)) {
				return free.getLocalPort();
			}
			catch (IOException ex) {
				// The next one, then.
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
				// Another JVM's.
			}
		}
		throw new IllegalStateException("All blocks of ports are taken");
	}

	private static ServerSocket listen(int port) throws IOException {
		return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
	}

}
