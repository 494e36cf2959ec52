package io.github.redislock.simulation;

/**
 * The state of a network. Times are in nanoseconds, chances per mille.
 */
final class Weather {

	private static final long MICRO = 1_000;

	private static final long MILLI = 1_000_000;

	/** The shortest delay of data that is not late. */
	long shortest = 50 * MICRO;

	long longest = 800 * MICRO;

	/** The longest delay of late data. */
	long latest = 300 * MILLI;

	/** The chance that data is late. */
	int slow;

	int lostQuestions;

	int lostReplies;

	int lostMessages;

	int copies;

	int breaks;

	/** The time until which no data passes, for each direction. */
	private long silentToServerUntil;

	private long silentToClientUntil;

	void silenceToServer(long until) {
		this.silentToServerUntil = Math.max(this.silentToServerUntil, until);
	}

	void silenceToClient(long until) {
		this.silentToClientUntil = Math.max(this.silentToClientUntil, until);
	}

	/**
	 * Return how long data that is sent now is held back.
	 */
	long silentToServer(long now) {
		return Math.max(this.silentToServerUntil - now, 0);
	}

	long silentToClient(long now) {
		return Math.max(this.silentToClientUntil - now, 0);
	}

	void clear() {
		Weather fine = new Weather();
		this.slow = fine.slow;
		this.latest = fine.latest;
		this.lostQuestions = 0;
		this.lostReplies = 0;
		this.lostMessages = 0;
		this.copies = 0;
		this.breaks = 0;
		this.silentToServerUntil = 0;
		this.silentToClientUntil = 0;
	}

}
