package io.github.redislock.samples.cluster.demo.workers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The process of a worker: a separate JVM, which ends when its input ends.
 */
final class WorkerProcess {

	private static final Path SHELL = Path.of("/bin/sh");

	private static final String THAW = "kill -CONT \"$0\"";

	/** The shell resumes the process even if the demonstration has ended. */
	private static final String FREEZE = "kill -STOP \"$0\"; sleep \"$1\"; " + THAW;

	private final Process process;

	private WorkerProcess(Process process) {
		this.process = process;
	}

	/**
	 * Start a process.
	 * @param output receives its output, line by line
	 */
	static WorkerProcess start(ProcessBuilder command, String name, Consumer<String> output) {
		try {
			Process process = command.redirectErrorStream(true).start();
			Thread reader = new Thread(() -> read(process, output), "output of " + name);
			reader.setDaemon(true);
			reader.start();
			return new WorkerProcess(process);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	long pid() {
		return this.process.pid();
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	CompletableFuture<Integer> onExit() {
		return this.process.onExit().thenApply(Process::exitValue);
	}

	static boolean canFreeze() {
		return Files.isExecutable(SHELL);
	}

	/**
	 * Stop the process, which does not notice it, and resume it after a while.
	 * @return a future that completes when the process resumes
	 */
	CompletableFuture<?> freeze(Duration length) {
		String seconds = "%d.%03d".formatted(length.toSeconds(), length.toMillisPart());
		// Resume the process once more, because the first shell may have been killed.
		return shell(FREEZE, seconds).onExit().thenCompose((frozen) -> shell(THAW).onExit());
	}

	private Process shell(String script, String... arguments) {
		List<String> command = new ArrayList<>(List.of(SHELL.toString(), "-c", script, Long.toString(pid())));
		command.addAll(List.of(arguments));
		try {
			return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Request that the process sleeps during its next hold. Used on systems where
	 * processes cannot be stopped.
	 */
	void askToHang() {
		try {
			this.process.getOutputStream().write('\n');
			this.process.getOutputStream().flush();
		}
		catch (IOException ex) {
			// The process has ended.
		}
	}

	void kill() {
		this.process.destroyForcibly();
	}

	private static void read(Process process, Consumer<String> output) {
		try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
			lines.lines().forEach(output);
		}
		catch (IOException | UncheckedIOException ex) {
			// The process has ended.
		}
	}

}
