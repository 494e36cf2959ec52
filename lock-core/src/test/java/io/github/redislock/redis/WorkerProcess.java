package io.github.redislock.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.testing.JavaProcess;
import io.github.redislock.testing.Signals;

/**
 * A process that acquires locks by orders and can be stopped and killed.
 */
final class WorkerProcess implements AutoCloseable {

	private final Process process;

	private final Writer orders;

	private final List<String> lines = new CopyOnWriteArrayList<>();

	private WorkerProcess(Process process) {
		this.process = process;
		this.orders = process.outputWriter(StandardCharsets.UTF_8);
		Thread reader = new Thread(this::read, "worker-output");
		reader.setDaemon(true);
		reader.start();
	}

	/**
	 * Start a {@link LockWorker} that is connected to Redis.
	 */
	static WorkerProcess start(int port) {
		WorkerProcess worker = launch(LockWorker.class, Integer.toString(port));
		worker.awaitLine("ready");
		return worker;
	}

	/**
	 * Start any process that takes orders, one on each line.
	 */
	static WorkerProcess launch(Class<?> main, String... arguments) {
		return launch(Map.of(), main, arguments);
	}

	/**
	 * Start such a process with more environment variables.
	 */
	static WorkerProcess launch(Map<String, String> environment, Class<?> main, String... arguments) {
		try {
			ProcessBuilder builder = JavaProcess.of(main, arguments);
			builder.environment().putAll(environment);
			return new WorkerProcess(Signals.start(builder));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Let a {@link LockWorker} acquire a lock, keep it for a while and release it.
	 */
	void hold(String name, Duration lease, Duration length) {
		order(name + " " + lease.toMillis() + " " + length.toMillis());
	}

	/**
	 * Send an order to the process.
	 */
	void order(String line) {
		try {
			this.orders.write(line + "\n");
			this.orders.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return all lines that the process has printed.
	 */
	List<String> lines() {
		return List.copyOf(this.lines);
	}

	/**
	 * Wait until the process ends.
	 * @return its exit code
	 */
	int awaitEnd() {
		Instances.await("end of the worker").until(() -> !this.process.isAlive());
		return this.process.exitValue();
	}

	/**
	 * Wait for a line with this beginning, and return it.
	 */
	String awaitLine(String begin) {
		Instances.await("line '" + begin + "'").until(() -> {
			if (!this.process.isAlive() && !hasSaid(begin)) {
				throw new IllegalStateException("The worker ended: " + this.lines);
			}
			return hasSaid(begin);
		});
		return this.lines.stream().filter((line) -> line.startsWith(begin)).findFirst().orElseThrow();
	}

	boolean hasSaid(String begin) {
		return this.lines.stream().anyMatch((line) -> line.startsWith(begin));
	}

	/**
	 * Return all lines that the process has printed, and a dump of its threads.
	 */
	String threads() {
		if (this.process.isAlive()) {
			Signals.dumpThreads(this.process);
		}
		Instances.await("threads of the worker").until(() -> !this.process.isAlive() || hasSaid("JNI global refs"));
		return String.join("\n", this.lines);
	}

	long pid() {
		return this.process.pid();
	}

	void stop() {
		Signals.stop(this.process);
	}

	void resume() {
		Signals.resume(this.process);
	}

	void kill() {
		this.process.destroyForcibly();
		Signals.awaitEnd(this.process);
	}

	@Override
	public void close() {
		kill();
	}

	private void read() {
		try (BufferedReader output = this.process.inputReader(StandardCharsets.UTF_8)) {
			for (String line = output.readLine(); line != null; line = output.readLine()) {
				this.lines.add(line);
			}
		}
		catch (IOException ex) {
			// It was killed.
		}
	}

}
