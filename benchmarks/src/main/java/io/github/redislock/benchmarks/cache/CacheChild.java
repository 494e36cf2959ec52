package io.github.redislock.benchmarks.cache;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * The parent's view of a {@link CacheWorker}.
 */
final class CacheChild implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private final Process process;

	private final PrintStream orders;

	private final BlockingQueue<String> results = new LinkedBlockingQueue<>();

	/**
	 * Start a worker, and wait until it is connected.
	 * @param whenLoading called with this child and the key when a load begins
	 */
	CacheChild(int port, CacheVariant variant, Path log, BiConsumer<CacheChild, String> whenLoading)
			throws IOException, InterruptedException {
		this.process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx192m", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-cp", System.getProperty("java.class.path"),
				CacheWorker.class.getName(), Integer.toString(port), variant.name()))
			.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
			.start();
		Runtime.getRuntime().addShutdownHook(new Thread(this.process::destroyForcibly));
		this.orders = new PrintStream(this.process.getOutputStream(), true, StandardCharsets.UTF_8);
		Thread reader = new Thread(() -> read(whenLoading), "reader");
		reader.setDaemon(true);
		reader.start();
		result("ready");
	}

	void order(String line) {
		this.orders.println(line);
	}

	/**
	 * Wait for a result, and return its words.
	 */
	String[] result(String word) throws InterruptedException {
		String line = this.results.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		if (line == null || !line.startsWith(word)) {
			throw new IllegalStateException("Expected '%s' but got '%s'".formatted(word, line));
		}
		return line.split(" ");
	}

	/**
	 * Kill the process with SIGKILL.
	 */
	@Override
	public void close() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

	private void read(BiConsumer<CacheChild, String> whenLoading) {
		try (BufferedReader lines = new BufferedReader(
				new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8))) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				if (line.startsWith("loading ")) {
					whenLoading.accept(this, line.substring("loading ".length()));
				}
				else if (line.matches("(ready|ran|served).*")) {
					this.results.add(line);
				}
			}
		}
		catch (IOException ex) {
			// The process was killed.
			this.results.add("ended: " + ex);
		}
	}

}
