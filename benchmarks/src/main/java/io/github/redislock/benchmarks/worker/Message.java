package io.github.redislock.benchmarks.worker;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A line that the runner and a worker exchange. It contains a word and named values
 * without spaces.
 */
public final class Message {

	private final String word;

	private final Map<String, String> values;

	private Message(String word, Map<String, String> values) {
		this.word = word;
		this.values = values;
	}

	public static Message of(String word) {
		return new Message(word, Map.of());
	}

	public static Message parse(String line) {
		List<String> parts = List.of(line.split(" "));
		Map<String, String> values = new LinkedHashMap<>();
		for (String part : parts.subList(1, parts.size())) {
			int equals = part.indexOf('=');
			values.put(part.substring(0, equals), part.substring(equals + 1));
		}
		return new Message(parts.get(0), values);
	}

	/**
	 * Add a value.
	 * @param name the name of the value
	 * @param value the value; spaces in its text are replaced with underscores
	 * @return a new message
	 */
	public Message with(String name, Object value) {
		Map<String, String> more = new LinkedHashMap<>(this.values);
		more.put(name, value.toString().replace(' ', '_').replace('\n', '_'));
		return new Message(this.word, more);
	}

	public String word() {
		return this.word;
	}

	public String text(String name) {
		String value = this.values.get(name);
		if (value == null) {
			throw new IllegalArgumentException("'%s' has no '%s'".formatted(this, name));
		}
		return value;
	}

	public long number(String name) {
		return Long.parseLong(text(name));
	}

	public long[] numbers(String name) {
		return Arrays.stream(text(name).split(",")).mapToLong(Long::parseLong).toArray();
	}

	public Duration duration(String name) {
		return Duration.parse(text(name));
	}

	public boolean flag(String name) {
		return Boolean.parseBoolean(text(name));
	}

	@Override
	public String toString() {
		StringBuilder line = new StringBuilder(this.word);
		this.values.forEach((name, value) -> line.append(' ').append(name).append('=').append(value));
		return line.toString();
	}

}
