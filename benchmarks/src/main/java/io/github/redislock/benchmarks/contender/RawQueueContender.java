package io.github.redislock.benchmarks.contender;

/**
 * The minimum for a hand-over between processes: one script and one message to the inbox
 * of the next process. Before each hand-over, a fair local lock passes the lock on within
 * the process, up to a given number of times.
 * <p>
 * This is a limit and not a library. It has no renewal and no timeouts, and does not
 * handle failures.
 */
final class RawQueueContender implements Contender {

	private final String name;

	private final int passes;

	RawQueueContender(String name, int passes) {
		this.name = name;
		this.passes = passes;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public String title() {
		return (this.passes == 1) ? "raw queue" : "raw queue, %d local passes".formatted(this.passes);
	}

	@Override
	public LockClient open(ClientSettings settings) {
		return new RawQueueClient(settings, this.passes);
	}

	@Override
	public String key(String lock) {
		return RawQueueClient.lockKey(lock);
	}

}
