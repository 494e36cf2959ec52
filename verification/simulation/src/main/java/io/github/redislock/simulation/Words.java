package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Describes requests, replies and messages in words.
 */
final class Words {

	private static final int LONGEST = 46;

	private static final int SHORT = 6;

	private Words() {
	}

	static String of(String script, List<byte[]> keys, List<byte[]> arguments) {
		if (Questions.isShort(script)) {
			return Questions.of(script, keys, arguments, null)
				.stream()
				.map(Words::quickly)
				.collect(Collectors.joining(", and to "));
		}
		List<String> told = arguments.stream().map(Words::text).toList();
		String locks = locks(keys);
		Asker asker = Asker.of(script, arguments);
		if (asker != null) {
			return of(script, locks, told, asker);
		}
		return switch (script) {
			case "RELEASE", "RELEASE_ALL", "RELEASE_SHARED" ->
				"release %s, request %s".formatted(locks, shortly(told.get(1)));
			case "RENEW", "RENEW_SHARED" -> "renew %s for %s ms".formatted(locks, told.get(1));
			case "FORCE_RELEASE" -> "release %s by force".formatted(locks);
			case "INSPECT" -> "inspect " + locks;
			default -> "%s %s (%s)".formatted(script.toLowerCase(Locale.ROOT), locks, String.join(" ", told));
		};
	}

	private static String of(String script, String locks, List<String> told, Asker asker) {
		return switch (script) {
			case "ACQUIRE_SHARED" ->
				"acquire " + locks + " to share it, at most " + asker.wants().substring(1) + terms(asker);
			case "YIELD" ->
				"release " + locks + " of request " + shortly(told.get(1)) + " and acquire it again" + terms(asker);
			case "WITHDRAW", "WITHDRAW_ALL", "WITHDRAW_SHARED" ->
				"withdraw request %s for %s%s".formatted(shortly(asker.request()), locks,
						told.get(1).equals("0") ? "" : ", and refuse it for another " + told.get(1) + " ms");
			default -> "acquire " + locks + terms(asker);
		};
	}

	private static String quickly(Questions.Question question) {
		Asker asker = Asker.of(question.script(), question.arguments());
		return (asker != null)
				? "acquire %s quickly, request %s, lease %d ms".formatted(locks(question.keys()),
						shortly(asker.request()), asker.timeToLive())
				: "release %s quickly, request %s".formatted(locks(question.keys()),
						shortly(text(question.arguments().get(1))));
	}

	private static String locks(List<byte[]> keys) {
		return keys.stream()
			.map(Words::text)
			.filter(LockNames::isLock)
			.map((key) -> "'" + key.substring(LockNames.PREFIX.length()) + "'")
			.distinct()
			.collect(Collectors.joining(" and "));
	}

	private static String terms(Asker asker) {
		String waits = asker.polls() ? "waits, and sends requests again"
				: asker.waits() ? "waits for a message about its turn" : "does not wait";
		return ", request %s, lease %d ms, %s".formatted(shortly(asker.request()), asker.timeToLive(), waits);
	}

	static String reply(String script, @Nullable Object reply) {
		if (Questions.isShort(script)) {
			return ((reply instanceof List<?> all) ? all.stream() : Stream.ofNullable(reply)).map(Words::quickly)
				.collect(Collectors.joining(", "));
		}
		if (reply instanceof List<?> fields && !fields.isEmpty()) {
			if (script.startsWith("ACQUIRE")) {
				return acquired(fields);
			}
			if (script.equals("YIELD")) {
				return its(fields.get(0)) + "; " + acquired(fields.subList(1, fields.size()));
			}
			if (script.startsWith("RENEW")) {
				return fields.stream().map(Words::its).collect(Collectors.joining(", "));
			}
			if (script.startsWith("RELEASE")) {
				return its(fields.get(0));
			}
		}
		if (script.startsWith("RELEASE")) {
			return its(reply);
		}
		if (script.startsWith("WITHDRAW")) {
			return Long.valueOf(1).equals(reply) ? "it had the lock" : "it did not have the lock";
		}
		return of(reply);
	}

	private static String quickly(Object field) {
		if (field instanceof Long number) {
			return (number == 0) ? "not decided" : (number == 1) ? "it held the lock" : "granted, token " + number;
		}
		return "no: " + holder(of(field));
	}

	private static String its(@Nullable Object field) {
		return Long.valueOf(1).equals(field) ? "it held the lock" : "it did not hold the lock";
	}

	private static String acquired(List<?> fields) {
		return switch (((Long) fields.get(0)).intValue()) {
			case 0 -> "no: %s %s".formatted(holder(of(fields.get(1))), rest((Long) fields.get(2)));
			case 1 -> "granted, token " + fields.get(1);
			case 2 -> "no: the request was withdrawn";
			case 4 -> "no: data was lost, nothing is granted for %s ms".formatted(fields.get(1));
			default -> of(fields);
		};
	}

	private static String holder(String owner) {
		int end = owner.indexOf('/');
		return (end > 0) ? owner.substring(0, end + 1) + shortly(owner.substring(end + 1)) : owner;
	}

	private static String rest(long millis) {
		return (millis < -1) ? "is next, and has %d ms to acquire it".formatted(-millis)
				: "has it for another %d ms".formatted(millis);
	}

	static String message(byte[] message) {
		String text = new String(message, StandardCharsets.UTF_8);
		String[] fields = text.split(" ");
		if (fields.length != 3) {
			return "'%s' was released by force".formatted(fields[fields.length - 1]);
		}
		return fields[2].equals("0") ? "it is the turn of request %s".formatted(shortly(fields[0]))
				: "request %s has the lock now, token %s".formatted(shortly(fields[0]), fields[2]);
	}

	/**
	 * Return enough of a request ID to distinguish it from others.
	 */
	private static String shortly(String request) {
		return (request.length() > SHORT) ? request.substring(0, SHORT) : request;
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
