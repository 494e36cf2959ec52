package io.github.redislock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/**
 * Starts, pauses and resumes a process, requests a thread dump, and waits for its end.
 */
public final class Signals {

	private static final int PATIENCE_SECONDS = 60;

	private Signals() {
	}

	/**
	 * Start a process that ends with this JVM at the latest.
	 */
	public static Process start(ProcessBuilder command) throws IOException {
		Process process = command.start();
		Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
		return process;
	}

	public static void stop(Process process) {
		send("STOP", process);
	}

	public static void resume(Process process) {
		send("CONT", process);
	}

	/**
	 * Make a JVM print its stack traces.
	 */
	public static void dumpThreads(Process process) {
		send("QUIT", process);
	}

	/**
	 * Wait until a process has ended, ignoring interrupts. Unlike
	 * {@link Process#onExit()}, which has hung on JDK 25, this needs no thread of the
	 * common pool.
	 * @return its exit value
	 * @throws IllegalStateException if it takes longer than a minute; it is killed then
	 */
	public static int awaitEnd(Process process) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
						process.destroyForcibly();
						throw new IllegalStateException(
								"Process %d has not ended within %d s".formatted(process.pid(), PATIENCE_SECONDS));
					}
					return process.exitValue();
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private static void send(String name, Process process) {
		try {
			int exit = awaitEnd(
					new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start());
			if (exit != 0) {
				throw new IllegalStateException("kill -" + name + " ended with " + exit);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
