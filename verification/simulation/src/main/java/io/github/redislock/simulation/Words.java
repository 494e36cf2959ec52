package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * What goes over the wire, for people.
 */
final class Words {

	private static final int LONGEST = 46;

	private Words() {
	}

	static String of(String script, List<byte[]> keys, List<byte[]> arguments) {
		return "%s(%s)".formatted(script.toLowerCase(Locale.ROOT),
				arguments.stream().map(Words::text).collect(Collectors.joining(" ")));
	}

	static String of(@Nullable Object reply) {
		if (reply instanceof List<?> list) {
			return list.stream().map(Words::of).collect(Collectors.joining(", ", "{", "}"));
		}
		return (reply instanceof byte[] bytes) ? text(bytes) : String.valueOf(reply);
	}

	static String text(byte[] bytes) {
		String text = new String(bytes, StandardCharsets.UTF_8).replace('\t', ' ');
		return (text.length() <= LONGEST) ? (text.isEmpty() ? "''" : text) : text.substring(0, LONGEST) + '…';
	}

}
