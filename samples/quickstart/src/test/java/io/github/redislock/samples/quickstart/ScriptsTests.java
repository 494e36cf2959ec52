package io.github.redislock.samples.quickstart;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

@EnabledOnOs(OS.LINUX)
class ScriptsTests {

	@TempDir
	private Path folder;

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			lead.sh    | PATH      | curl is missing: install it
			operate.sh | PATH      | curl is missing: install it
			lead.sh    | JAVA_HOME | is not a JDK 17 or newer: install one, or set JAVA_HOME.
			lead.sh    | OTHER     | The quickstart is not built: ./mvnw -q package
			""")
	void scriptReportsInOneLineWhatIsMissing(String script, String variable, String sentence) throws Exception {
		for (String file : new String[] { script, "instances.sh" }) {
			Files.copy(Path.of(file), this.folder.resolve(file));
		}
		Files.createSymbolicLink(this.folder.resolve("dirname"), Path.of("/usr/bin/dirname"));
		ProcessBuilder command = new ProcessBuilder("/bin/bash", this.folder.resolve(script).toString());
		command.environment().put("JAVA_HOME", System.getProperty("java.home"));
		command.environment().put(variable, this.folder.toString());

		Process process = command.redirectErrorStream(true).start();

		assertThat(output(process)).contains(sentence).hasLineCount(1);
		assertThat(process.waitFor()).isEqualTo(1);
	}

	private static String output(Process process) throws IOException {
		return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
	}

}
