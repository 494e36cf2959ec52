package io.github.redislock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Stops a process without its noticing, lets it go on, and lets it say what it does.
 */
public final class Signals {

	private Signals() {
	}

	public static void stop(Process process) {
		send("STOP", process);
	}

	public static void resume(Process process) {
		send("CONT", process);
	}

	/**
	 * Let a JVM say what its threads do.
	 */
	public static void dumpThreads(Process process) {
		send("QUIT", process);
	}

	private static void send(String name, Process process) {
		try {
			int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO()
				.start()
				.onExit()
				.join()
				.exitValue();
			if (exit != 0) {
				throw new IllegalStateException("kill -" + name + " ended with " + exit);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
