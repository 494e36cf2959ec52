package io.github.redislock.campaign.history;

import java.util.List;

/**
 * All that the processes did, and when they could not do anything.
 *
 * @param attempts what they did
 * @param ends when leaders were told that they are so no longer
 * @param stops when processes were stopped
 * @param unexpected what nobody should ever see
 */
public record History(List<Attempt> attempts, List<End> ends, List<Stop> stops, List<String> unexpected) {

	/**
	 * Put together what several processes have written down.
	 */
	public static History of(List<History> parts) {
		return new History(parts.stream().flatMap((part) -> part.attempts().stream()).toList(),
				parts.stream().flatMap((part) -> part.ends().stream()).toList(),
				parts.stream().flatMap((part) -> part.stops().stream()).toList(),
				parts.stream().flatMap((part) -> part.unexpected().stream()).toList());
	}

	/**
	 * The end of a leadership.
	 *
	 * @param client whose it was
	 * @param due when it was over
	 * @param told when the listener was called
	 */
	public record End(String client, long due, long told) {
	}

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
