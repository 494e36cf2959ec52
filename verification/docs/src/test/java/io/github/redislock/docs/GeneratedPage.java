package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A page of the documentation whose generated parts are between two marks.
 */
final class GeneratedPage {

	private static final String BEGIN = "<!-- generated: %s -->\n";

	private static final String END = "<!-- end -->";

	private GeneratedPage() {
	}

	static String replace(String page, String part, String text) {
		String mark = BEGIN.formatted(part);
		int begin = page.indexOf(mark) + mark.length();
		return page.substring(0, begin) + text + page.substring(page.indexOf(END, begin));
	}

	static String cell(String text) {
		return text.replace("|", "\\|");
	}

	/**
	 * Fail if a page differs from the generated one, or write it on demand.
	 * @param test the test to name in the command that writes it
	 */
	static void requireCurrent(Path file, String generated, Class<?> test) throws IOException {
		if (Boolean.getBoolean("docs.write")) {
			Files.writeString(file, generated);
			return;
		}
		String command = "./mvnw -q -pl verification/docs -am test -Dtest=" + test.getSimpleName()
				+ " -Dsurefire.failIfNoSpecifiedTests=false -Ddocs.write=true";
		assertThat(Files.readString(file))
			.as("docs/%s is not what is generated; generate it again with%n  %s", file.getFileName(), command)
			.isEqualTo(generated);
	}

}
