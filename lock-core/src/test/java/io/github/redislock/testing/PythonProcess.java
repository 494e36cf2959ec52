package io.github.redislock.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.springframework.core.io.ClassPathResource;

/**
 * A Python program that acquires locks on request: {@code python/worker.py}.
 */
public final class PythonProcess implements AutoCloseable {

	private static final int PATIENCE_SECONDS = 120;

	private final Process process;

	private final Writer orders;

	private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();

	private PythonProcess(Process process) {
		this.process = process;
		this.orders = process.outputWriter(StandardCharsets.UTF_8);
		Thread reader = new Thread(this::read, "python-output");
		reader.setDaemon(true);
		reader.start();
	}

	/**
	 * Run a program to its end.
	 * @param code the program, to which {@code redis} is a client
	 */
	public static void run(String code, int port) {
		try {
			Path python = Python.withRedis().orElseThrow(() -> new IllegalStateException(Python.MISSING));
			String head = "import redis, sys\nredis = redis.Redis(port=int(sys.argv[1]))\n";
			Process process = Signals
				.start(new ProcessBuilder(python.toString(), "-B", "-c", head + code, Integer.toString(port))
					.redirectErrorStream(true));
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (Signals.awaitEnd(process) != 0) {
				throw new IllegalStateException(output);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Start a program that is ready.
	 * @param kind of its locks: {@code redis-py}, or {@code own} ones
	 */
	public static PythonProcess start(String kind, int port) {
		try {
			Path python = Python.withRedis().orElseThrow(() -> new IllegalStateException(Python.MISSING));
			Path worker = new ClassPathResource("python/worker.py").getFile().toPath();
			PythonProcess program = new PythonProcess(Signals
				.start(new ProcessBuilder(python.toString(), "-B", worker.toString(), kind, Integer.toString(port))
					.redirectErrorStream(true)));
			String reply = program.reply();
			if (!reply.equals("ready")) {
				throw new IllegalStateException(reply);
			}
			return program;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Send an order and return its reply.
	 */
	public String ask(String... words) {
		order(words);
		return reply();
	}

	/**
	 * Send an order without waiting for its reply.
	 */
	public void order(String... words) {
		try {
			this.orders.write(String.join(" ", words) + "\n");
			this.orders.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Wait for the reply to an order.
	 */
	public String reply() {
		try {
			String reply = this.replies.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
			if (reply == null) {
				throw new IllegalStateException("Python does not reply");
			}
			return reply;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Kill the process, like a crash.
	 */
	@Override
	public void close() {
		this.process.destroyForcibly();
		Signals.awaitEnd(this.process);
	}

	private void read() {
		try (BufferedReader output = this.process.inputReader(StandardCharsets.UTF_8)) {
			for (String line = output.readLine(); line != null; line = output.readLine()) {
				this.replies.add(line);
			}
			this.replies.add("ended with " + Signals.awaitEnd(this.process));
		}
		catch (IOException ex) {
			// It was killed.
		}
	}

}
