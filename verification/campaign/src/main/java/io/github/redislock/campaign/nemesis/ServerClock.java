package io.github.redislock.campaign.nemesis;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import io.github.redislock.campaign.worker.SharedMemory;
import io.github.redislock.testing.Signals;

/**
 * The wall clock of a server, which can be stepped.
 */
public final class ServerClock {

	private final Path library;

	private final Path file;

	private final SharedMemory offset;

	private ServerClock(Path library, Path file) {
		this.library = library;
		this.file = file;
		this.offset = SharedMemory.map(file, 1);
	}

	/**
	 * Return whether this machine has a C compiler, which builds the library that steps a
	 * clock.
	 */
	public static boolean isAvailable() {
		try {
			return Signals.awaitEnd(new ProcessBuilder("gcc", "--version").redirectErrorStream(true)
				.redirectOutput(Redirect.DISCARD)
				.start()) == 0;
		}
		catch (IOException ex) {
			return false;
		}
	}

	/**
	 * Build the library that steps a clock.
	 * @param directory where to build it
	 * @return a clock that can be stepped
	 * @throws IOException if the build fails
	 */
	public static ServerClock build(Path directory) throws IOException {
		Path source = directory.resolve("clock.c");
		try (InputStream code = ServerClock.class.getResourceAsStream("clock.c")) {
			if (code == null) {
				throw new IOException("clock.c is missing");
			}
			Files.write(source, code.readAllBytes());
		}
		Path library = directory.resolve("clock.so");
		Process compiler = new ProcessBuilder("gcc", "-O2", "-shared", "-fPIC", "-o", library.toString(),
				source.toString())
			.inheritIO()
			.start();
		if (Signals.awaitEnd(compiler) != 0) {
			throw new IOException("gcc could not build " + source);
		}
		return new ServerClock(library, directory.resolve("clock-offset"));
	}

	/**
	 * Return the environment variables with which a server uses this clock.
	 */
	public Map<String, String> environment() {
		return Map.of("LD_PRELOAD", this.library.toString(), "CLOCK_OFFSET_FILE", this.file.toString());
	}

	void step(Duration offset) {
		this.offset.set(0, offset.toNanos() / 1_000);
	}

}
