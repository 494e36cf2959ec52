package io.github.redislock.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.redislock.internal.client.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts for a single server, and their libraries.
 */
class LockScriptTests extends LuaScriptContract {

	@Override
	List<Script> scripts() {
		return LockScript.ALL;
	}

	@Override
	Class<?> folder() {
		return LockScript.class;
	}

	@Test
	void scriptFilesMatchTheDeclaredScripts() {
		assertThat(luaFiles(""))
			.containsExactlyInAnyOrderElementsOf(scripts().stream().map((script) -> script.name() + ".lua").toList());
	}

	@Test
	void includesMatchTheLibraryFiles() {
		List<String> included = scripts().stream().flatMap((script) -> includes(script).stream()).distinct().toList();

		assertThat(libraries()).containsExactlyInAnyOrderElementsOf(included);
	}

	@ParameterizedTest
	@MethodSource("libraries")
	void headerOfALibraryDescribesItsPurpose(String library) {
		String head = head(library(library));

		assertThat(head.lines()).allSatisfy((line) -> assertThat(line).startsWith("--"));
		assertThat(head).containsPattern("\\A" + FIRST_SENTENCE);
	}

	@ParameterizedTest
	@MethodSource("libraries")
	void libraryContainsOnlyLocalDefinitionsAndNoIncludes(String library) {
		String text = library(library);

		assertThat(text.lines().filter((line) -> !line.isEmpty()))
			.allSatisfy((line) -> assertThat(line).matches("(--|local |if |  |end$).*"));
		assertThat(INCLUDE.matcher(text).find()).isFalse();
		assertThat(text).endsWith("\n");
		// Only this library reads the arguments that several scripts have in common.
		assertThat(text.contains("ARGV")).isEqualTo(library.equals("asker"));
		// Only this library depends on the layout of the keys of several locks.
		assertThat(text.contains("KEYS")).isEqualTo(library.equals("locks"));
	}

	static List<String> libraries() {
		return luaFiles("lib").stream().map((file) -> file.replace(".lua", "")).toList();
	}

	private static List<String> luaFiles(String subfolder) {
		try (Stream<Path> files = Files.list(root().resolve(subfolder))) {
			return files.map((file) -> file.getFileName().toString()).filter((file) -> file.endsWith(".lua")).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path root() {
		try {
			return Path.of(Objects.requireNonNull(LockScript.class.getResource("acquire.lua")).toURI()).getParent();
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
