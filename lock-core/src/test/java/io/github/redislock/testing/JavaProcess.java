package io.github.redislock.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Another JVM with the class path of this one. It is small and starts quickly.
 */
public final class JavaProcess {

	private JavaProcess() {
	}

	/**
	 * Return the builder that starts it.
	 */
	public static ProcessBuilder of(Class<?> main, String... arguments) {
		List<String> command = new ArrayList<>(List.of(
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m", "-XX:+UseSerialGC",
				"-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), main.getName()));
		command.addAll(List.of(arguments));
		return new ProcessBuilder(command).redirectErrorStream(true);
	}

}
