package io.github.redislock.autoconfigure;

import java.io.File;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.testing.JavaProcess;
import io.github.redislock.testing.Signals;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application in a separate process, with the jars of Spring Boot 3 that Maven copied.
 */
class SpringBoot3Tests {

	private static final Path JARS = Path.of("target", "spring-boot-3");

	@ParameterizedTest
	@ValueSource(strings = { "--redis-lock.store=in-memory", "--redis-lock.enabled=false" })
	void springBoot3IsRefusedWithAnExplanation(String argument) throws Exception {
		ProcessBuilder application = JavaProcess.of(SpringBoot3Application.class, argument);
		application.command().set(application.command().indexOf("-cp") + 1, classPath());

		Process process = Signals.start(application);
		String output = process.inputReader().lines().collect(Collectors.joining("\n"));

		assertThat(Signals.awaitEnd(process)).as(output).isOne();
		assertThat(output).containsSubsequence("APPLICATION FAILED TO START", "Description:",
				"Redis Lock needs Spring Boot 4, but this application uses 3.5.", "Action:",
				"Update Spring Boot to version 4, or remove Redis Lock.");
	}

	/**
	 * Return this test's class path with the other version of Spring.
	 */
	private static String classPath() {
		Stream<String> others = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((path) -> !Path.of(path).getFileName().toString().matches("(spring-|kotlin|netty|reactor).*"));
		return Stream.concat(Stream.of(JARS + File.separator + "*"), others)
			.collect(Collectors.joining(File.pathSeparator));
	}

}
