package io.github.redislock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The conditions of all scripts. Each condition has a number, which an instrumented
 * script uses to report whether the condition was true.
 */
public final class ScriptBranches {

	private static final String INCLUDE = "-- include: ";

	private static final Pattern CONDITION = Pattern.compile("\\b(if|elseif|while) (.+?) (then|do)\\b");

	/** Where a condition goes on in the next line. */
	private static final Pattern CONTINUED = Pattern.compile("\\n +(?=(and|or) )");

	private static final Pattern KEYWORD = Pattern.compile("\\b(if|elseif|while)\\b");

	private static final List<String> CONDITIONS = new ArrayList<>();

	private static final Map<String, String> MARKED_FILES = new HashMap<>();

	private static final Map<String, String> MARKED = new HashMap<>();

	static {
		SimulatedStores.files()
			.forEach((script) -> MARKED.put(script.text(),
					file(script.name()).lines().map(ScriptBranches::expand).collect(Collectors.joining("\n"))));
	}

	private ScriptBranches() {
	}

	/**
	 * Return all conditions by number, each with its file and text. Conditions of a
	 * shared part are listed once.
	 */
	public static List<String> conditions() {
		return Collections.unmodifiableList(CONDITIONS);
	}

	/**
	 * Return a script with {@code redis.took(number, condition)} in place of each
	 * condition. Any other text is returned unchanged.
	 */
	public static String mark(String source) {
		return MARKED.getOrDefault(source, source);
	}

	/**
	 * Return the texts of all scripts and their shared parts by file.
	 */
	public static SortedMap<String, String> files() {
		SortedMap<String, String> files = new TreeMap<>();
		MARKED_FILES.keySet().forEach((name) -> files.put(name, text(name)));
		return files;
	}

	private static String expand(String line) {
		return line.startsWith(INCLUDE) ? Arrays.stream(line.substring(INCLUDE.length()).split(", "))
			.map((part) -> file("lib/" + part))
			.collect(Collectors.joining()) : line;
	}

	private static String file(String name) {
		String present = MARKED_FILES.get(name);
		if (present == null) {
			present = CONTINUED.matcher(text(name))
				.replaceAll(" ")
				.lines()
				.map((line) -> line(name, line))
				.collect(Collectors.joining("\n", "", "\n"));
			MARKED_FILES.put(name, present);
		}
		return present;
	}

	private static String line(String name, String line) {
		int comment = line.indexOf("--");
		String code = (comment >= 0) ? line.substring(0, comment) : line;
		Matcher matcher = CONDITION.matcher(code);
		if (KEYWORD.matcher(code).results().count() != matcher.results().count()) {
			throw new IllegalStateException("A condition of %s is not on one line: %s".formatted(name, line));
		}
		return matcher.replaceAll((match) -> Matcher.quoteReplacement("%s redis.took(%d, %s) %s"
			.formatted(match.group(1), add(name, match.group(2)), match.group(2), match.group(3))))
				+ line.substring(code.length());
	}

	private static int add(String name, String condition) {
		String row = name + ": " + condition;
		String distinct = row;
		for (int times = 2; CONDITIONS.contains(distinct); times++) {
			distinct = row + " (" + times + ")";
		}
		CONDITIONS.add(distinct);
		return CONDITIONS.size() - 1;
	}

	private static String text(String name) {
		URL file = Stream.of("", "quorum/")
			.flatMap((folder) -> Stream.ofNullable(LockScript.class.getResource(folder + name + ".lua")))
			.findFirst()
			.orElseThrow();
		try (InputStream input = file.openStream()) {
			return new String(input.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
