package io.github.redislock.campaign.history;

import java.util.List;

/**
 * All that the processes did, and when they could not do anything.
 *
 * @param attempts what they did
 * @param stops when processes were stopped
 * @param unexpected what nobody should ever see
 */
public record History(List<Attempt> attempts, List<Stop> stops, List<String> unexpected) {

	/**
	 * A process that did not run.
	 *
	 * @param client which one
	 * @param from when it was stopped
	 * @param until when it went on
	 */
	public record Stop(String client, long from, long until) {

		/**
		 * Return how much of a time was spent standing still.
		 */
		long within(long begin, long end) {
			return Math.max(Math.min(end, this.until) - Math.max(begin, this.from), 0);
		}

	}

}
