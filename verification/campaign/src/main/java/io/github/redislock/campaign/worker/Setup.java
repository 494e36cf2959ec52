package io.github.redislock.campaign.worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.github.redislock.campaign.deployment.Addresses;
import io.github.redislock.leadership.LockLeadership;

/**
 * The parameters of a worker.
 *
 * @param number the number of the worker, from 0
 * @param client the name in the history, which is different after each restart
 * @param redis the addresses of Redis
 * @param acks how many replicas must acknowledge a lock
 * @param directory the directory of the history and the shared memory
 * @param naive whether the worker uses the naive lock
 * @param threads the number of contenders in addition to the patient one, or 0 if the
 * worker only leads until it is ordered to resign
 * @param keys the number of locks, of which the first belongs to the role, and the last
 * {@link #ORDERED} may be held together
 * @param lease the lease of each lock
 * @param quarantine how long a Redis that has lost its data refuses to grant locks
 * @param longHolds whether to hold locks for a long time, so that each fault affects some
 * of them
 */
public record Setup(int number, String client, Addresses redis, int acks, Path directory, boolean naive, int threads,
		int keys, Duration lease, Duration quarantine, boolean longHolds) {

	/** The name of the file that each worker and the launcher share. */
	static final String MEMORY = "memory";

	static final String ROLE = "campaign";

	/** The number of the role's lock. */
	public static final int ROLE_KEY = 0;

	/** The number of locks that are acquired in a fixed order. */
	public static final int ORDERED = 3;

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

	public static String lock(int key) {
		return (key == ROLE_KEY) ? LockLeadership.LOCK_PREFIX + ROLE : "key-" + key;
	}

	/**
	 * Return the file to which the process with this setup writes its history.
	 */
	public Path history() {
		return this.directory.resolve("history-" + this.client + ".log");
	}

}
