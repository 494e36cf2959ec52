package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A small mistake in a script or in a shared part.
 *
 * @param file the changed file
 * @param id names the mistake: its kind, and the line, which may have several
 * @param text the changed text of the file
 * @param before the part of the file that is changed, without the parts that it includes
 * @param after the same part with the mistake
 */
record LuaMutant(String file, String id, String text, String before, String after) implements Mistake {

	private static final Pattern COMMENT = Pattern.compile("--[^\n]*");

	private static final Pattern INCLUDES = Pattern.compile("(?m)^-- include: .*\n");

	/**
	 * Return all mistakes in a file.
	 */
	static List<LuaMutant> of(String file, String text) {
		// Comments are not changed.
		String code = COMMENT.matcher(text).replaceAll((comment) -> " ".repeat(comment.group().length()));
		List<LuaMutant> mutants = new ArrayList<>();
		Map<String, Integer> times = new HashMap<>();
		for (Kind kind : Kind.values()) {
			kind.pattern.matcher(code).results().forEach((match) -> {
				String by = kind.by.apply(match);
				if (by == null) {
					return;
				}
				String line = line(code, match.start());
				int number = times.merge(kind + line, 1, Integer::sum);
				mutants.add(of(file, "%s %s %d: %s".formatted(file, kind, number, line), text, match, by));
			});
		}
		return mutants;
	}

	private static LuaMutant of(String file, String id, String text, MatchResult match, String by) {
		int begin = 0;
		int end = text.length();
		for (MatchResult include : INCLUDES.matcher(text).results().toList()) {
			if (include.end() <= match.start()) {
				begin = include.end();
			}
			else if (include.start() >= match.end()) {
				end = Math.min(end, include.start());
			}
		}
		String changed = text.substring(0, match.start()) + by + text.substring(match.end());
		return new LuaMutant(file, id, changed, text.substring(begin, end).stripTrailing(),
				changed.substring(begin, end + changed.length() - text.length()).stripTrailing());
	}

	private static String line(String code, int position) {
		int end = code.indexOf('\n', position);
		return code.substring(code.lastIndexOf('\n', position - 1) + 1, (end >= 0) ? end : code.length()).strip();
	}

	@Override
	public String script(String name, String source) {
		return source.replace(this.before, this.after);
	}

	/**
	 * How a machine changes a script.
	 */
	private enum Kind {

		NEGATED(Pattern.compile("\\b(if|elseif|while) (.+?) (?=then\\b|do\\b)", Pattern.DOTALL),
				(match) -> "%s not (%s) ".formatted(match.group(1), match.group(2))),

		AND_OR("\\b(and|or)\\b", (match) -> match.group().equals("and") ? "or" : "and"),

		NUMBER("(?<![\\w%.])\\d+(?![\\w.])", (match) -> {
			long number = Long.parseLong(match.group());
			return Long.toString((number < 100) ? number + 1 : number / 100);
		}),

		DROPPED("(?m)^ *(?!local |function |end\\b|else|if |for |while |and |or |\\.\\.)\\S.*$",
				(match) -> isBalanced(match.group()) ? "" : null),

		/**
		 * The first two arguments of a call, or the first two after the command, unless
		 * their order does not matter.
		 */
		SWAPPED("(?<!function )\\b(?!math[.]max)([\\w.]+\\((?:'[A-Z]+', )?+)([^(),{}\n]+), ([^(),{}\n]+)(?=[,)])",
				(match) -> match.group(2).equals(match.group(3)) ? null
						: match.group(1) + match.group(3) + ", " + match.group(2)),

		KEY_SKIPPED("(redis\\.p?call\\('[A-Z]+'(?:, [^(),{}\n]+)+), [^(),{}\n]+(?=\\))", (match) -> match.group(1));

		private final Pattern pattern;

		private final Function<MatchResult, @Nullable String> by;

		Kind(String pattern, Function<MatchResult, @Nullable String> by) {
			this(Pattern.compile(pattern), by);
		}

		Kind(Pattern pattern, Function<MatchResult, @Nullable String> by) {
			this.pattern = pattern;
			this.by = by;
		}

		private static boolean isBalanced(String line) {
			return Stream.of("()", "{}").allMatch((pair) -> count(line, pair.charAt(0)) == count(line, pair.charAt(1)));
		}

		private static long count(String line, char bracket) {
			return line.chars().filter((next) -> next == bracket).count();
		}

	}

}
