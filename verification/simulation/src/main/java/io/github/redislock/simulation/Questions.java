package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

import io.github.redislock.simulation.redis.StoredKey;
import org.jspecify.annotations.Nullable;

/**
 * Splits a call of the {@code quick} script into requests to the scripts for single
 * locks, so that the rules need not handle that script.
 */
final class Questions {

	static final String QUICK = "QUICK";

	private static final Long NOT_QUICK = 0L;

	private Questions() {
	}

	/**
	 * Return the requests of a script call.
	 * @param keys the keys, or an empty list if they are not needed
	 * @param reply what the script returned, or {@code null} if it has not returned yet
	 */
	static List<Question> of(String script, List<byte[]> keys, List<byte[]> arguments, @Nullable Object reply) {
		if (!script.equals(QUICK)) {
			return List.of(new Question(script, keys, arguments, reply));
		}
		List<?> replies = (reply instanceof List<?> all) ? all : List.of();
		String last = whole(arguments.get(arguments.size() - 1));
		int takes = last.contains("\t") ? 0 : Integer.parseInt(last);
		int count = arguments.size() - takes - Math.min(takes, 1);
		List<Question> questions = new ArrayList<>();
		for (int index = 0; index < count; index++) {
			boolean take = index < takes;
			int key = take ? 2 * index : takes + index;
			int argument = take ? 2 * index : takes + index;
			List<byte[]> own = keys.isEmpty() ? keys : keys.subList(key, key + (take ? 2 : 1));
			Object element = replies.isEmpty() ? null : replies.get(index);
			String[] value = whole(arguments.get(argument)).split("\t");
			questions
				.add(take ? acquire(own, value, arguments.get(argument + 1), element) : release(own, value, element));
		}
		return questions;
	}

	/**
	 * Return the requests of a script call that the script decided itself, without those
	 * that it left to other scripts.
	 */
	static List<Server.Evaluation> of(Server.Evaluation evaluation) {
		if (!evaluation.script().equals(QUICK)) {
			return List.of(evaluation);
		}
		List<Question> all = of(QUICK, evaluation.keys(), evaluation.arguments(), evaluation.reply());
		SortedMap<String, StoredKey> released = new TreeMap<>(evaluation.keysAfter());
		all.stream().filter(Question::isGranted).forEach((question) -> released.remove(whole(question.keys().get(0))));
		List<Server.Evaluation> done = new ArrayList<>();
		all.stream()
			.filter((question) -> Long.valueOf(1).equals(question.reply()))
			.forEach((question) -> done.add(evaluation.of(question, released)));
		all.stream()
			.filter((question) -> question.isGranted() || question.isRefused())
			.forEach((question) -> done.add(evaluation.of(question, evaluation.keysAfter())));
		return done;
	}

	private static Question acquire(List<byte[]> keys, String[] value, byte[] timeToLive, @Nullable Object reply) {
		return new Question("ACQUIRE", keys, List.of(bytes(value[0]), bytes(request(value[0])), timeToLive,
				bytes(value[1]), bytes("0"), bytes("0"), bytes(""), bytes("1")), reply(reply));
	}

	/**
	 * Return what the script for a single lock would have returned. If the {@code quick}
	 * script leaves the lock to that script, the reply only says that the lock was not
	 * granted.
	 */
	private static @Nullable List<?> reply(@Nullable Object reply) {
		if (reply instanceof byte[] refusal) {
			// The fields are holder, block, token and time to live.
			String[] held = whole(refusal).split("\t");
			return List.of(0L, bytes(held[0]), Long.valueOf(held[3]), Long.valueOf(held[2]), 0L);
		}
		if (reply == null) {
			return null;
		}
		return reply.equals(NOT_QUICK) ? List.of(0L) : List.of(1L, reply);
	}

	private static Question release(List<byte[]> keys, String[] value, @Nullable Object reply) {
		return new Question("RELEASE", keys, List.of(bytes(value[0]), bytes(request(value[0])), bytes("0"), bytes("1")),
				reply);
	}

	private static String request(String owner) {
		return owner.substring(owner.lastIndexOf('/') + 1);
	}

	private static String whole(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * A call of a script that handles a single lock.
	 *
	 * @param reply what the script returned, or {@code null} if it has not returned yet
	 */
	record Question(String script, List<byte[]> keys, List<byte[]> arguments, @Nullable Object reply) {

		boolean isGranted() {
			return this.reply instanceof List<?> fields && Long.valueOf(1).equals(fields.get(0));
		}

		boolean isRefused() {
			return this.reply instanceof List<?> fields && fields.size() > 1 && Long.valueOf(0).equals(fields.get(0));
		}

	}

}
