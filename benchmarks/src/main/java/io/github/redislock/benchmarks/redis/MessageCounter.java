package io.github.redislock.benchmarks.redis;

import java.nio.charset.StandardCharsets;

/**
 * Counts the published messages in the bytes that Redis sends to a client, and recognizes
 * them by their first word. The bytes may be split in any way. Not thread-safe.
 */
final class MessageCounter {

	private static final byte[][] HEADS = { ascii("$7\r\nmessage\r\n"), ascii("$8\r\npmessage\r\n"),
			ascii("$8\r\nsmessage\r\n") };

	/** How many bytes of each head have been seen. */
	private final int[] seen = new int[HEADS.length];

	/**
	 * Read the next bytes.
	 * @return the number of messages that were recognized in these bytes
	 */
	int count(byte[] buffer, int length) {
		int messages = 0;
		for (int position = 0; position < length; position++) {
			for (int head = 0; head < HEADS.length; head++) {
				if (advance(head, buffer[position])) {
					messages++;
				}
			}
		}
		return messages;
	}

	private boolean advance(int head, byte next) {
		byte[] expected = HEADS[head];
		if (next == expected[this.seen[head]]) {
			this.seen[head]++;
		}
		else {
			// The first byte occurs only once in a head, so no backtracking is needed.
			this.seen[head] = (next == expected[0]) ? 1 : 0;
		}
		if (this.seen[head] < expected.length) {
			return false;
		}
		this.seen[head] = 0;
		return true;
	}

	private static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
