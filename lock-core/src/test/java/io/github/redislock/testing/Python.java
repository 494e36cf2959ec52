package io.github.redislock.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The Python of this machine that has redis-py: that of {@code LOCK_TEST_PYTHON}, the
 * system's own, or the first on the path.
 */
final class Python {

	static final String MISSING = "no Python with redis-py: apt-get install python3-redis, or set LOCK_TEST_PYTHON";

	private static @Nullable Optional<Path> found;

	private Python() {
	}

	static synchronized Optional<Path> withRedis() {
		Optional<Path> present = found;
		if (present == null) {
			present = candidates().filter(Files::isExecutable).filter(Python::hasRedis).findFirst();
			found = present;
		}
		return present;
	}

	private static Stream<Path> candidates() {
		String wish = System.getenv("LOCK_TEST_PYTHON");
		if (wish != null) {
			return Stream.of(Path.of(wish));
		}
		Stream<Path> path = Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
			.map((folder) -> Path.of(folder, "python3"));
		return Stream.concat(Stream.of(Path.of("/usr/bin/python3")), path);
	}

	private static boolean hasRedis(Path python) {
		try {
			Process process = new ProcessBuilder(python.toString(), "-c",
					"import sys, redis.asyncio; assert sys.version_info >= (3, 9)")
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start();
			return process.waitFor(1, TimeUnit.MINUTES) && process.exitValue() == 0;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
