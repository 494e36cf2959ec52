package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The texts in the sources of the published modules, with an ellipsis for each variable
 * part.
 */
final class Messages {

	private static final List<String> MODULES = List.of("lock-adapters", "lock-core", "lock-quorum",
			"lock-spring-boot-autoconfigure", "lock-test");

	private static final String LITERAL = "\"(?:[^\"\\\\\\n]|\\\\.)*\"";

	/** One literal, or several that the compiler joins. */
	private static final Pattern TEXT = Pattern.compile("%1$s(?:\\s*\\+\\s*%1$s)*".formatted(LITERAL));

	private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|(?m:^\\s*//[^\n]*$)", Pattern.DOTALL);

	private static final Pattern LOCALIZED = Pattern.compile("%(?:\\d+\\$)?[-#+ 0,(]*\\d*(?:\\.\\d+)?[defgt]");

	/**
	 * The beginning of a statement whose first text is a message: a warning, an error, or
	 * an exception that users meet.
	 */
	private static final Pattern SPEAKS = Pattern.compile("logger\\.(?:warn|error)\\(|new (?:Lock\\w+Exception"
			+ "|InvalidLock\\w+Exception|StaleFencing\\w+|Meaning|Finding)\\(|\\b(?:invalid|failure)\\(");

	private final List<String> sources;

	private Messages(List<String> sources) {
		this.sources = sources;
	}

	static Messages read() throws IOException {
		List<String> sources = new ArrayList<>();
		for (String module : MODULES) {
			try (Stream<Path> files = Files.walk(Pages.PROJECT.resolve(module).resolve("src/main/java"))) {
				for (Path file : files.filter((each) -> each.toString().endsWith(".java")).sorted().toList()) {
					sources.add(COMMENT.matcher(Files.readString(file)).replaceAll(""));
				}
			}
		}
		return new Messages(sources);
	}

	/**
	 * Return whether a text contains these words.
	 * @param words a text without variable parts
	 */
	boolean contain(String words) {
		return this.sources.stream()
			.flatMap((source) -> TEXT.matcher(source).results())
			.anyMatch((text) -> plain(text.group()).contains(words));
	}

	/**
	 * Return the longest constant piece of each message, if it has more than three words.
	 */
	List<String> spoken() {
		return this.sources.stream().flatMap((source) -> SPEAKS.matcher(source).results().map((call) -> {
			Matcher text = TEXT.matcher(source).region(call.end(), source.indexOf(';', call.end()));
			return text.find() ? longestPiece(plain(text.group())) : "";
		})).filter((piece) -> piece.split(" ").length > 3).distinct().sorted().toList();
	}

	/**
	 * Return the texts that format a number by the default locale, which may have digits
	 * of its own. {@code %s} does not, and neither do hexadecimal numbers.
	 */
	List<String> localized() {
		return this.sources.stream()
			.flatMap((source) -> TEXT.matcher(source).results())
			.map(MatchResult::group)
			.filter((text) -> LOCALIZED.matcher(text).find())
			.toList();
	}

	static List<String> pieces(String text) {
		return Stream.of(text.split("…")).filter((piece) -> !piece.isBlank()).toList();
	}

	private static String longestPiece(String text) {
		return pieces(text).stream().max(Comparator.comparingInt(String::length)).orElse("");
	}

	private static String plain(String literals) {
		return literals.substring(1, literals.length() - 1)
			.replaceAll("(?<!\\\\)\"\\s*\\+\\s*\"", "")
			.replace("\\\"", "\"")
			.replaceAll("%(?:\\d+\\$)?0?\\d*[sdX]", "…");
	}

}
