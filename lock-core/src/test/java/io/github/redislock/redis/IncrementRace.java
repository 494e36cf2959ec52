package io.github.redislock.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.redislock.testing.JavaProcess;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes whose threads increment a counter in a file, and their results.
 *
 * @see IncrementWorker
 */
final class IncrementRace implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofMinutes(4);

	private final Path directory;

	private final Class<?> worker;

	private final String[] redis;

	private final List<Process> processes = new ArrayList<>();

	/**
	 * Prepare a race.
	 * @param directory where the counter is
	 * @param redis how the processes find their locks, or {@code bare} for none
	 */
	IncrementRace(Path directory, String... redis) {
		this(IncrementWorker.class, directory, redis);
	}

	IncrementRace(Class<?> worker, Path directory, String... redis) {
		this.worker = worker;
		this.directory = directory;
		this.redis = redis;
		try {
			Files.write(directory.resolve("counter"), new byte[Long.BYTES]);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Start one more process.
	 */
	void start(int threads, int increments) throws IOException {
		List<String> arguments = new ArrayList<>(
				List.of(this.directory.toString(), Integer.toString(threads), Integer.toString(increments)));
		arguments.addAll(List.of(this.redis));
		this.processes.add(JavaProcess.of(this.worker, arguments.toArray(String[]::new))
			.redirectOutput(log(this.processes.size()).toFile())
			.start());
	}

	/**
	 * Wait until the counter has this value, or until no process increments it any more.
	 */
	void awaitCounter(long value) {
		Instances.await("counter at " + value)
			.atMost(PATIENCE)
			.until(() -> counter() >= value || this.processes.stream().noneMatch(Process::isAlive));
	}

	/**
	 * Wait until all processes have done their work.
	 */
	void awaitEnd() throws Exception {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		for (int number = 0; number < this.processes.size(); number++) {
			Process process = this.processes.get(number);
			boolean ended = process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
			String log = Files.readString(log(number));
			System.out.print(log);
			assertThat(ended).as("worker ended in time").isTrue();
			assertThat(process.exitValue()).as("exit of a worker: %s", log).isZero();
		}
	}

	long counter() throws IOException {
		return ByteBuffer.wrap(Files.readAllBytes(this.directory.resolve("counter"))).getLong();
	}

	/**
	 * Return the fencing token of each hold, in the order of the holds.
	 */
	List<Long> tokens() throws IOException {
		ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(this.directory.resolve("tokens")));
		List<Long> tokens = new ArrayList<>();
		while (bytes.hasRemaining()) {
			tokens.add(bytes.getLong());
		}
		return tokens;
	}

	@Override
	public void close() {
		this.processes.forEach(Process::destroyForcibly);
	}

	private Path log(int number) {
		return this.directory.resolve("worker-" + number + ".log");
	}

}
