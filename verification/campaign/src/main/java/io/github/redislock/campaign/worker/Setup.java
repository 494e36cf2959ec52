package io.github.redislock.campaign.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.github.redislock.campaign.deployment.Addresses;
import io.github.redislock.leadership.LockLeadership;

/**
 * What a worker has to know.
 *
 * @param number which worker, from 0 on
 * @param client its name in the history, another one after each restart
 * @param redis where it finds Redis
 * @param acks how many replicas have to know of a lock
 * @param directory where it writes its history, and where the memory lies that all share
 * @param naive whether it uses the naive lock
 * @param threads how many contenders it has, besides a patient one; if none, it only
 * leads, until it is told to resign
 * @param keys how many locks there are; the first is that of the role, and the last
 * {@link #ORDERED} are those of which some are taken together
 * @param lease for how long each lock is given
 * @param quarantine how long a Redis that has lost its data shall give no locks
 * @param longHolds whether to hold locks for long, so that each fault meets some
 */
public record Setup(int number, String client, Addresses redis, int acks, Path directory, boolean naive, int threads,
		int keys, Duration lease, Duration quarantine, boolean longHolds) {

	/** The first bytes that each worker and the launcher know. */
	static final String MEMORY = "memory";

	/** The role for which all workers are candidates. */
	static final String ROLE = "campaign";

	/** Its lock. */
	public static final int ROLE_KEY = 0;

	/** How many locks are taken in one order. */
	public static final int ORDERED = 3;

	/**
	 * Return how to tell all of this to a process.
	 * @return arguments of {@link Worker}
	 */
	public String[] arguments() {
		return new String[] { Integer.toString(this.number), this.client, this.redis.toString(),
				Integer.toString(this.acks), this.directory.toString(), Boolean.toString(this.naive),
				Integer.toString(this.threads), Integer.toString(this.keys), this.lease.toString(),
				this.quarantine.toString(), Boolean.toString(this.longHolds) };
	}

	static Setup parse(String... arguments) {
		List<String> words = List.of(arguments);
		return new Setup(Integer.parseInt(words.get(0)), words.get(1), Addresses.parse(words.get(2)),
				Integer.parseInt(words.get(3)), Path.of(words.get(4)), Boolean.parseBoolean(words.get(5)),
				Integer.parseInt(words.get(6)), Integer.parseInt(words.get(7)), Duration.parse(words.get(8)),
				Duration.parse(words.get(9)), Boolean.parseBoolean(words.get(10)));
	}

	/**
	 * Return by which name everybody knows one of the locks.
	 */
	public static String lock(int key) {
		return (key == ROLE_KEY) ? LockLeadership.LOCK_PREFIX + ROLE : "key-" + key;
	}

	/**
	 * Return where a process writes its part of the history.
	 * @return the file
	 */
	public Path history() {
		return this.directory.resolve("history-" + this.client + ".log");
	}

}
