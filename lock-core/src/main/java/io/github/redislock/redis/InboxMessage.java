package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;

import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;

/**
 * Reads the messages to an {@link Inbox}.
 * <ul>
 * <li>{@code <request> <asked-at> <token>}: the lock was handed over to that request, or
 * the request has to ask again if the token is 0. The time is {@code -} for the first
 * attempt. Instances of an earlier version send {@code <entry> - 0}, and an entry begins
 * with the request
 * <li>{@code forced <name>}: a lock was released by force
 * </ul>
 */
final class InboxMessage {

	/** No request id begins with this text. */
	private static final String FORCED = "forced ";

	private static final String FIRST_ATTEMPT = "-";

	private InboxMessage() {
	}

	/**
	 * Pass a message to the listener.
	 * @param asksAgain whether to pass on a hand-over as a notice to ask for the lock
	 * @throws RuntimeException if the message has an unknown format
	 */
	static void deliver(byte[] message, HandOverListener listener, boolean asksAgain) {
		String text = new String(message, StandardCharsets.UTF_8);
		if (text.startsWith(FORCED)) {
			listener.takenByForce(text.substring(FORCED.length()));
			return;
		}
		String[] fields = text.split(" ");
		long token = Long.parseLong(fields[fields.length - 1]);
		if (token == 0 || asksAgain) {
			listener.turnHasCome(fields[0]);
		}
		else {
			Long askedAt = fields[1].equals(FIRST_ATTEMPT) ? null : Long.valueOf(fields[1]);
			listener.handedOver(new HandOver(fields[0], askedAt, token));
		}
	}

}
