package io.github.redislock.benchmarks.runner;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.redislock.benchmarks.contender.ClientSettings;
import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.worker.Message;
import io.github.redislock.benchmarks.worker.Worker;

/**
 * The runner's view of a child process.
 */
final class WorkerProcess implements AutoCloseable {

	/** A time longer than any library needs to connect or to shut down. */
	static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final AtomicLong NUMBERS = new AtomicLong();

	private final long number = NUMBERS.incrementAndGet();

	private final File log;

	private final Process process;

	private final PrintStream orders;

	private final BlockingQueue<Message> replies = new LinkedBlockingQueue<>();

	private WorkerProcess(Path logs, List<String> options) throws IOException {
		this.log = logs.resolve("worker-" + this.number + ".log").toFile();
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:-UsePerfData"));
		command.addAll(options);
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), Worker.class.getName()));
		this.process = new ProcessBuilder(command).redirectError(this.log).start();
		this.orders = new PrintStream(this.process.getOutputStream(), true, StandardCharsets.UTF_8);
		Thread reader = new Thread(this::read, "worker-" + this.number);
		reader.setDaemon(true);
		reader.start();
	}

	static WorkerProcess start(Path logs, List<String> options) {
		try {
			return new WorkerProcess(logs, options);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	long number() {
		return this.number;
	}

	long pid() {
		return this.process.pid();
	}

	/**
	 * Open a client of a library, without waiting until it is connected.
	 * @param client a name for this client, which later orders use
	 */
	void open(Contender contender, String client, ClientSettings settings) {
		send(Message.of("open")
			.with("contender", contender.name())
			.with("client", client)
			.with("host", settings.host())
			.with("port", settings.port())
			.with("lease", settings.lease())
			.with("renewed", settings.renewed()));
	}

	void send(Message order) {
		this.orders.println(order);
	}

	/**
	 * Wait for the reply to the oldest open order.
	 * @throws NoReplyException if there is no reply in time
	 */
	Message reply(Duration patience) throws InterruptedException {
		Message reply = this.replies.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
		if (reply == null) {
			throw new NoReplyException("No reply within " + patience + ", see " + this.log);
		}
		if (!reply.word().equals("ok")) {
			throw new IllegalStateException(reply + ", see " + this.log);
		}
		return reply;
	}

	Message call(Message order) throws InterruptedException {
		send(order);
		return reply(PATIENCE);
	}

	/**
	 * Kill the process without letting it shut down. Its connections are closed by the
	 * operating system.
	 */
	void kill() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	@Override
	public void close() {
		kill();
	}

	private void read() {
		try (BufferedReader lines = new BufferedReader(
				new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8))) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				this.replies.add(Message.parse(line));
			}
		}
		catch (IOException ex) {
			this.replies.add(Message.of("error").with("text", ex));
		}
		this.replies.add(Message.of("error").with("text", "the process ended"));
	}

	static final class NoReplyException extends IllegalStateException {

		NoReplyException(String message) {
			super(message);
		}

	}

}
