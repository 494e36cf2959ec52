package io.github.redislock.benchmarks.redis;

/**
 * Counts the requests in the bytes that a client sends to Redis. The bytes may be split
 * in any way. Each request is an array of bulk strings. Not thread-safe.
 */
final class RequestCounter {

	/** The number of remaining strings of the current request. */
	private long strings;

	/** The number of remaining bytes of the current string, including its line end. */
	private long bytes;

	private long number;

	/**
	 * Read the next bytes.
	 * @return the number of requests that ended in these bytes
	 */
	int count(byte[] buffer, int length) {
		int requests = 0;
		int position = 0;
		while (position < length) {
			if (this.bytes > 0) {
				int skipped = (int) Math.min(this.bytes, length - position);
				this.bytes -= skipped;
				position += skipped;
				if (this.bytes == 0) {
					this.strings--;
					requests += (this.strings == 0) ? 1 : 0;
				}
			}
			else {
				header(buffer[position]);
				position++;
			}
		}
		return requests;
	}

	/**
	 * Continue to read {@code *3\r\n} or {@code $12\r\n}.
	 */
	private void header(byte next) {
		switch (next) {
			case '*', '$' -> this.number = 0;
			case '\r' -> {
			}
			case '\n' -> {
				if (this.strings == 0) {
					this.strings = this.number;
				}
				else {
					this.bytes = this.number + 2;
				}
			}
			default -> this.number = this.number * 10 + next - '0';
		}
	}

}
