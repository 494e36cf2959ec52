package io.github.redislock.samples.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A temporary folder, and possibly a process that works in it. When this JVM ends, even
 * by {@code kill -9}, the process is ended and the folder is deleted. Thread-safe.
 * <p>
 * A shell waits for the end of its input, which ends with this JVM. If {@code setsid}
 * exists, the shell has its own session, so that a signal to the process group of this
 * JVM does not reach the shell. If the shell itself is killed, another one replaces it.
 */
public final class Watchdog implements AutoCloseable {

	private static final Path SETSID = Path.of("/usr/bin/setsid");

	private static final String WATCH = """
			trap '' INT TERM HUP
			while read -r line; do :; done
			[ ! -s "$0/pid" ] || kill -9 "$(cat "$0/pid")"
			rm -rf "$0"
			""";

	private static final int KILLED = 128 + 9;

	private final Path folder;

	private Process shell;

	private boolean closed;

	private Watchdog(Path folder) throws IOException {
		this.folder = folder;
		this.shell = watch();
	}

	/**
	 * Create a folder in the temporary folder of this JVM, and start watching it.
	 */
	public static Watchdog start() throws IOException {
		return new Watchdog(Files.createTempDirectory("redis-lock-sample"));
	}

	Path folder() {
		return this.folder;
	}

	/**
	 * Return the file for the ID of the process that must end with this JVM.
	 */
	Path pidFile() {
		return this.folder.resolve("pid");
	}

	/**
	 * End the process and delete the folder.
	 */
	@Override
	public void close() throws IOException {
		Process last;
		synchronized (this) {
			this.closed = true;
			last = this.shell;
		}
		last.getOutputStream().close();
		last.onExit().join();
	}

	private synchronized void watchAgain(Process ended) {
		if (this.closed || ended.exitValue() != KILLED) {
			return;
		}
		try {
			this.shell = watch();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Process watch() throws IOException {
		List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", WATCH, this.folder.toString()));
		if (Files.isExecutable(SETSID)) {
			command.add(0, SETSID.toString());
		}
		Process begun = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.redirectError(ProcessBuilder.Redirect.DISCARD)
			.start();
		begun.onExit().thenAccept(this::watchAgain);
		return begun;
	}

}
