package io.github.redislock.benchmarks.redis;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes each piece of data after a delay, on a separate thread.
 */
final class DelayedPassage implements RedisProxy.Passage {

	/**
	 * How much longer than requested a Linux thread sleeps, because of its timer slack.
	 * This time is subtracted from each sleep.
	 */
	private static final long OVERSLEEP = TimeUnit.MICROSECONDS.toNanos(55);

	private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();

	private final OutputStream output;

	private final long delay;

	private final Thread writer;

	private volatile boolean closed;

	DelayedPassage(Socket to, Duration delay) throws IOException {
		this.output = to.getOutputStream();
		this.delay = delay.toNanos();
		this.writer = new Thread(this::write, "proxy-delayed");
		this.writer.setDaemon(true);
		this.writer.start();
	}

	@Override
	public void send(byte[] buffer, int length) {
		this.pieces.add(new Piece(Arrays.copyOf(buffer, length), System.nanoTime() + this.delay));
	}

	@Override
	public void close() {
		this.closed = true;
		this.writer.interrupt();
	}

	private void write() {
		try {
			while (!this.closed) {
				Piece piece = this.pieces.take();
				await(piece.due());
				this.output.write(piece.bytes());
			}
		}
		catch (InterruptedException | IOException ex) {
			// The connection ended.
		}
	}

	private void await(long due) {
		long left = due - System.nanoTime();
		while (left > 0 && !this.closed) {
			if (left > OVERSLEEP) {
				LockSupport.parkNanos(left - OVERSLEEP);
			}
			else {
				Thread.onSpinWait();
			}
			left = due - System.nanoTime();
		}
	}

	private record Piece(byte[] bytes, long due) {
	}

}
