package io.github.redislock.campaign.history;

import java.util.List;

/**
 * The recorded actions of all processes, and the times when they were stopped.
 *
 * @param attempts the attempts
 * @param ends the ends of leaderships
 * @param stops the periods in which processes were stopped
 * @param unexpected events that must never happen
 */
public record History(List<Attempt> attempts, List<End> ends, List<Stop> stops, List<String> unexpected) {

	public static History of(List<History> parts) {
		return new History(parts.stream().flatMap((part) -> part.attempts().stream()).toList(),
				parts.stream().flatMap((part) -> part.ends().stream()).toList(),
				parts.stream().flatMap((part) -> part.stops().stream()).toList(),
				parts.stream().flatMap((part) -> part.unexpected().stream()).toList());
	}

	/**
	 * The end of a leadership.
	 *
	 * @param client the leader
	 * @param due when the leadership was over
	 * @param told when the listener was called
	 */
	public record End(String client, long due, long told) {
	}

	/**
	 * A period in which a process did not run.
	 *
	 * @param client the process
	 * @param from when it was stopped
	 * @param until when it resumed
	 */
	public record Stop(String client, long from, long until) {

		long within(long begin, long end) {
			return Math.max(Math.min(end, this.until) - Math.max(begin, this.from), 0);
		}

	}

}
