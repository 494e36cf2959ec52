package io.github.redislock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The program of a Redis server: the installed one, or the one at the path
 * {@code LOCK_TEST_REDIS}.
 *
 * @param path where it is
 */
public record RedisProgram(Path path) {

	/** The program that the tests use. */
	public static final RedisProgram TESTED = new RedisProgram(
			Path.of(TestRedis.setting("LOCK_TEST_REDIS").filter(RedisProgram::isPath).orElse("/usr/bin/redis-server")));

	private static final Pattern VERSION = Pattern.compile("\\bv=(\\d+)\\.(\\d+)");

	static boolean isPath(String wish) {
		return wish.startsWith("/");
	}

	boolean isInstalled() {
		return Files.isExecutable(this.path);
	}

	/**
	 * Return its version as one number, such as 602 for 6.2.
	 */
	public int version() {
		try {
			Process process = new ProcessBuilder(this.path.toString(), "--version").start();
			String reply = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			Matcher version = VERSION.matcher(reply);
			if (!version.find()) {
				throw new IllegalStateException("Not a Redis server: " + reply);
			}
			return Integer.parseInt(version.group(1)) * 100 + Integer.parseInt(version.group(2));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the configuration that lets tests use {@code DEBUG}, which needs no
	 * permission before 7.0.
	 */
	List<String> debugging() {
		return (version() < 700) ? List.of() : List.of("enable-debug-command yes");
	}

}
