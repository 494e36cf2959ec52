package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Generates the list of promises, each with the tests that are tagged with it.
 * <p>
 * A promise is a number or a heading of {@code docs/guarantees.md}, or a row of
 * {@link #PROCESSES}. Its tests have {@code @Tag("promise-…")} with the number, or with
 * the anchor of the heading.
 */
final class PromisesPage {

	/** Behaviour that only several processes can show. */
	private static final Map<String, String> PROCESSES = processes();

	/** Headings without promises. */
	private static final Set<String> NO_PROMISES = Set.of("promised", "not-promised", "conditions-of-exclusion");

	private static final Pattern NUMBERED = Pattern.compile("(?m)^(\\d+)\\. \\*\\*(.+?)[.,]?\\*\\*");

	private static final Pattern HEADING = Pattern.compile("(?m)^##+ (.+)$");

	private static final Pattern TAG = Pattern.compile("@Tag\\(\"promise-([\\w-]+)\"\\)");

	/** The class or the method that an annotation belongs to. */
	private static final Pattern TAGGED = Pattern
		.compile("(?m)^(?:[\\w ]*\\bclass (\\w+)|[ \\t]+(?:[\\w ]+ )?(?:void|fun) (\\w+)\\()");

	private final Map<String, List<Tagged>> tests = new LinkedHashMap<>();

	PromisesPage(TestSources sources) {
		sources.byName().forEach((type, source) -> TAG.matcher(source).results().forEach((tag) -> {
			Tagged test = tagged(type, source, tag);
			this.tests.computeIfAbsent(tag.group(1), (promise) -> new ArrayList<>()).add(test);
		}));
	}

	String write() throws IOException {
		return """
				# Tests of each promise

				Each build runs these tests. For those with `+`, `.ci/thorough` runs more rounds or more variants.
				Those with `++` run only there. A class whose name ends in `Contract` or `Promises` runs once for each
				store, client or API.

				%s
				## Several processes

				%s""".formatted(table(ofGuarantees()), table(PROCESSES));
	}

	/**
	 * Return the possible tags, and the text for each.
	 */
	static Map<String, String> promises() throws IOException {
		Map<String, String> promises = ofGuarantees();
		promises.putAll(PROCESSES);
		return promises;
	}

	Set<String> tags() {
		return this.tests.keySet();
	}

	private static Map<String, String> ofGuarantees() throws IOException {
		String page = Files.readString(Pages.DOCS.resolve("guarantees.md"));
		Map<String, String> promises = new LinkedHashMap<>();
		NUMBERED.matcher(page)
			.results()
			.forEach((promise) -> promises.put(promise.group(1), promise.group(1) + ". " + promise.group(2)));
		HEADING.matcher(page).results().map((heading) -> heading.group(1)).forEach((heading) -> {
			String anchor = heading.toLowerCase().replace(' ', '-');
			if (!NO_PROMISES.contains(anchor)) {
				promises.put(anchor, heading);
			}
		});
		return promises;
	}

	private static Map<String, String> processes() {
		Map<String, String> promises = new LinkedHashMap<>();
		promises.put("processes-take-turns", "One holds the lock at a time, none starves, and no key is left");
		promises.put("processes-renew", "A lock is renewed for as long as the work goes on");
		promises.put("processes-stall",
				"A holder that stops for longer than its lease loses the lock, and learns of it");
		promises.put("processes-release", "A late holder does not release the lock of the next one");
		promises.put("processes-die", "Instances die and come back");
		promises.put("processes-python", "Python processes take part");
		promises.put("processes-violate", "Two holders at once would be noticed");
		return promises;
	}

	private static Tagged tagged(String type, String source, MatchResult tag) {
		MatchResult declared = TAGGED.matcher(source)
			.results()
			.filter((each) -> each.start() > tag.end())
			.findFirst()
			.orElseThrow();
		String annotations = source.substring(source.lastIndexOf("\n\n", tag.start()), declared.start());
		String name = (declared.group(2) != null) ? type + "#" + declared.group(2) : type;
		return new Tagged(name, annotations.contains("@Tag(\"thorough\")"), source.contains("Effort."));
	}

	private String table(Map<String, String> promises) {
		StringBuilder table = new StringBuilder("| promise | tests |\n|---|---|\n");
		promises.forEach((promise,
				words) -> table.append("| %s | %s |\n".formatted(words,
						this.tests.getOrDefault(promise, List.of())
							.stream()
							.map(Tagged::cell)
							.collect(Collectors.joining(", ")))));
		return table.toString();
	}

	/**
	 * A tagged test.
	 *
	 * @param thorough whether only a long build runs it
	 * @param longer whether a long build runs more of it
	 */
	private record Tagged(String name, boolean thorough, boolean longer) {

		String cell() {
			return "`" + this.name + "`" + (this.thorough ? "++" : this.longer ? "+" : "");
		}

	}

}
