package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A request, as the arguments of a script describe it.
 *
 * @param claim for how many milliseconds a lock that is handed over is locked
 * @param wants how many fencing tokens are wanted, or {@code *} and how many owners may
 * share the lock
 * @param inbox the channel for messages
 * @param timeToLive the lease in milliseconds, or 0 if the lock never expires; always 0
 * for a withdrawal
 * @param waits whether the request joins the queue
 * @param polls whether the request waits without messages
 */
record Asker(String request, String claim, String wants, String inbox, String owner, long timeToLive, boolean waits,
		boolean polls) {

	private static final int FIELDS = 5;

	/**
	 * Return the request that a call acquires a lock for or withdraws, or {@code null} if
	 * a script does neither.
	 */
	static @Nullable Asker of(String script, List<byte[]> arguments) {
		int first = script.equals("YIELD") ? 2 : 0;
		if (first > 0 || script.startsWith("ACQUIRE")) {
			String askedAt = text(arguments.get(first + 2));
			return of(text(arguments.get(first)), Long.parseLong(text(arguments.get(first + 1))), !askedAt.isEmpty(),
					askedAt.equals("-"));
		}
		return script.startsWith("WITHDRAW") ? of(text(arguments.get(0)), 0, false, false) : null;
	}

	private static Asker of(String entry, long timeToLive, boolean waits, boolean polls) {
		String[] fields = entry.split(" ", FIELDS);
		return new Asker(fields[0], fields[1], fields[2], fields[3], fields[4], timeToLive, waits, polls);
	}

	/**
	 * Return the request that a call acquires a lock for, or {@code null} if it acquires
	 * none.
	 */
	static @Nullable Asker asking(String script, List<byte[]> arguments) {
		return script.startsWith("WITHDRAW") ? null : of(script, arguments);
	}

	/**
	 * Return a waiter as the queue describes it, or {@code null} if that is no entry.
	 */
	static @Nullable Asker ofEntry(String member) {
		return (member.split(" ", FIELDS).length == FIELDS) ? of(member, 0, true, false) : null;
	}

	/**
	 * Return the owner that a release or withdrawal is for.
	 */
	static String leaver(String script, List<byte[]> arguments) {
		Asker withdrawn = script.equals("YIELD") ? null : of(script, arguments);
		return (withdrawn != null) ? withdrawn.owner : text(arguments.get(0));
	}

	private static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

}
