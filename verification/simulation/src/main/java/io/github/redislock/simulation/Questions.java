package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Splits a call of the scripts {@code take} and {@code free} into requests to the scripts
 * for single locks, so that the rules need not handle these scripts.
 */
final class Questions {

	static final String TAKE = "TAKE";

	static final String FREE = "FREE";

	private static final Long NOT_TAKEN = 0L;

	private Questions() {
	}

	/**
	 * Return the requests of a script call.
	 * @param keys the keys, or an empty list if they are not needed
	 * @param reply what the script returned, or {@code null} if it has not returned yet
	 */
	static List<Question> of(String script, List<byte[]> keys, List<byte[]> arguments, @Nullable Object reply) {
		if (!isShort(script)) {
			return List.of(new Question(script, keys, arguments, reply));
		}
		boolean take = script.equals(TAKE);
		int count = take ? arguments.size() / 2 : arguments.size();
		List<Question> questions = new ArrayList<>();
		for (int index = 0; index < count; index++) {
			List<byte[]> own = keys.isEmpty() ? keys
					: take ? List.of(keys.get(index), keys.get(count + index)) : List.of(keys.get(index));
			Object element = (reply instanceof List<?> all) ? all.get(index) : reply;
			String[] value = whole(arguments.get(take ? 2 * index : index)).split("\t");
			questions
				.add(take ? acquire(own, value, arguments.get(2 * index + 1), element) : release(own, value, element));
		}
		return questions;
	}

	static boolean isShort(String script) {
		return script.equals(TAKE) || script.equals(FREE);
	}

	/**
	 * Return the requests of a script call that the script decided itself, without those
	 * that it left to other scripts.
	 */
	static List<Server.Evaluation> of(Server.Evaluation evaluation) {
		if (!isShort(evaluation.script())) {
			return List.of(evaluation);
		}
		return of(evaluation.script(), evaluation.keys(), evaluation.arguments(), evaluation.reply()).stream()
			.filter((question) -> question.isGranted() || question.isRefused() || question.isReleased())
			.map((question) -> evaluation.of(question, evaluation.keysAfter()))
			.toList();
	}

	private static Question acquire(List<byte[]> keys, String[] value, byte[] timeToLive, @Nullable Object reply) {
		return new Question("ACQUIRE", keys,
				List.of(bytes("%s 0 %s  %s".formatted(request(value[0]), value[1], value[0])), timeToLive, bytes(""),
						bytes("1")),
				reply(reply));
	}

	/**
	 * Return what the script for a single lock would have returned. If {@code take}
	 * leaves the lock to that script, the reply only says that the lock was not granted.
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
		return reply.equals(NOT_TAKEN) ? List.of(0L) : List.of(1L, reply);
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

		boolean isReleased() {
			return Long.valueOf(1).equals(this.reply);
		}

		boolean isRefused() {
			return this.reply instanceof List<?> fields && fields.size() > 1 && Long.valueOf(0).equals(fields.get(0));
		}

	}

}
