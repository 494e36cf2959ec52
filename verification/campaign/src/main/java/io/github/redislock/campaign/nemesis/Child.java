package io.github.redislock.campaign.nemesis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import io.github.redislock.campaign.deployment.Addresses;
import io.github.redislock.campaign.deployment.Deployment;
import io.github.redislock.campaign.history.History;
import io.github.redislock.campaign.history.HistoryReader;
import io.github.redislock.campaign.worker.Pause;
import io.github.redislock.campaign.worker.Setup;
import io.github.redislock.campaign.worker.Witness;
import io.github.redislock.campaign.worker.Worker;
import io.github.redislock.testing.JavaProcess;
import io.github.redislock.testing.Signals;

/**
 * A worker process with its network connections. If it is killed, another process may
 * replace it. Used by one thread at a time.
 */
public final class Child implements AutoCloseable {

	private final int number;

	private final Network network;

	private final Addresses addresses;

	private final BiFunction<String, Addresses, Setup> setups;

	private final Witness witness;

	private final List<History> histories = new ArrayList<>();

	private final List<String> surprises = new ArrayList<>();

	private Incarnation present;

	private int incarnations;

	/**
	 * Start a worker.
	 * @param number the number of the worker
	 * @param deployment the servers that store the locks
	 * @param setups creates the setup from a name and addresses
	 * @param witness forgets the entries of the worker when it is killed
	 */
	public Child(int number, Deployment deployment, BiFunction<String, Addresses, Setup> setups, Witness witness) {
		this.number = number;
		this.network = Network.before(deployment.ports());
		this.addresses = new Addresses(deployment.topology(), deployment.entrances(), this.network.routes());
		this.setups = setups;
		this.witness = witness;
		this.present = start();
	}

	Network network() {
		return this.network;
	}

	void freeze(Duration length) {
		Signals.stop(this.present.process);
		try {
			Pause.of(length);
		}
		finally {
			Signals.resume(this.present.process);
		}
	}

	void replace() {
		kill();
		this.present = start();
	}

	public void kill() {
		boolean alive = this.present.process.isAlive();
		long killedAt = System.nanoTime();
		this.present.process.destroyForcibly();
		int exit = Signals.awaitEnd(this.present.process);
		this.witness.clear(this.number);
		if (!alive) {
			this.surprises.add(this.present.setup.client() + " ended unexpectedly with exit value " + exit);
		}
		collect(OptionalLong.of(killedAt));
	}

	/**
	 * Send an order to the worker.
	 * @param order see {@link Worker}
	 */
	public void order(String order) {
		this.present.orders.println(order);
	}

	/**
	 * Wait until the worker prints a line.
	 * @param line the line
	 * @param patience how long to wait
	 * @return whether the line was printed
	 */
	public boolean awaitLine(String line, Duration patience) {
		long end = System.nanoTime() + patience.toNanos();
		while (!this.present.lines.contains(line)) {
			if (System.nanoTime() - end > 0 || !this.present.process.isAlive()) {
				return this.present.lines.contains(line);
			}
			Pause.of(Duration.ofMillis(5));
		}
		return true;
	}

	/**
	 * Shut the worker down in an orderly way, or kill the worker if it does not end in
	 * time.
	 */
	public void end(Duration patience) {
		order("end");
		try {
			if (!this.present.process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
				this.surprises.add(this.present.setup.client() + " did not end, see " + dump());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.present.process.destroyForcibly();
		int exit = Signals.awaitEnd(this.present.process);
		if (exit != 0) {
			this.surprises.add(this.present.setup.client() + " ended with exit value " + exit);
		}
		collect(OptionalLong.empty());
	}

	public Path dump() {
		Path file = this.present.setup.directory().resolve("threads-" + this.present.setup.client() + ".log");
		try {
			Signals.awaitEnd(new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jstack").toString(),
					Long.toString(this.present.process.pid()))
				.redirectErrorStream(true)
				.redirectOutput(file.toFile())
				.start());
		}
		catch (IOException ex) {
			this.surprises.add("Thread dump failed: " + ex);
		}
		return file;
	}

	/**
	 * Return the history of all processes of this worker that have ended.
	 */
	public History history() {
		History own = new History(List.of(), List.of(), List.of(), List.copyOf(this.surprises));
		return History.of(Stream.concat(this.histories.stream(), Stream.of(own)).toList());
	}

	@Override
	public void close() {
		this.present.process.destroyForcibly();
		this.network.close();
	}

	private void collect(OptionalLong killedAt) {
		Setup setup = this.present.setup;
		this.histories.add(HistoryReader.read(setup.client(), setup.history(), killedAt));
		try {
			Files.readAllLines(log(setup))
				.stream()
				.filter((line) -> line.contains(" ERROR ") || line.contains("Exception in thread")
						|| line.contains("Deadlock since"))
				.forEach((line) -> this.surprises.add(setup.client() + ": " + line));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Incarnation start() {
		this.incarnations++;
		Setup setup = this.setups.apply("c%d.%d".formatted(this.number, this.incarnations), this.addresses);
		try {
			Files.createFile(setup.history());
			Process process = Signals.start(JavaProcess.of(Worker.class, setup.arguments())
				.redirectErrorStream(false)
				.redirectError(log(setup).toFile()));
			return new Incarnation(setup, process);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path log(Setup setup) {
		return setup.directory().resolve("log-" + setup.client() + ".log");
	}

	private static final class Incarnation {

		private final Setup setup;

		private final Process process;

		private final PrintStream orders;

		private final Set<String> lines = ConcurrentHashMap.newKeySet();

		Incarnation(Setup setup, Process process) {
			this.setup = setup;
			this.process = process;
			this.orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
			Thread reader = new Thread(this::read, "output of " + setup.client());
			reader.setDaemon(true);
			reader.start();
		}

		private void read() {
			try (BufferedReader output = this.process.inputReader(StandardCharsets.UTF_8)) {
				output.lines().forEach(this.lines::add);
			}
			catch (IOException | UncheckedIOException ex) {
				// The process was killed, so its output has ended.
			}
		}

	}

}
