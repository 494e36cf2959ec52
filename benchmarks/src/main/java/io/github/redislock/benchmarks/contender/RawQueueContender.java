package io.github.redislock.benchmarks.contender;

/**
 * The least work that a hand-over between processes needs: one script and one message to
 * the inbox of the next process. A fair local lock first passes the lock on within the
 * process, for up to a given number of holds.
 * <p>
 * This is a baseline for comparison, not a usable lock: it has no renewal and no
 * timeouts, and does not handle failures.
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
