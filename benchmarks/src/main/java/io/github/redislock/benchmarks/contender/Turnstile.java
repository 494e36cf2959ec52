package io.github.redislock.benchmarks.contender;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * A lock within one process: a fair local lock that guards at most one turn in the queue
 * in Redis.
 */
final class Turnstile {

	private final RawQueueClient client;

	private final String name;

	private final int passes;

	private final ReentrantLock gate = new ReentrantLock(true);

	/**
	 * The turn that has the lock or is in the queue. Guarded by the gate, as are the next
	 * two fields.
	 */
	private @Nullable String turn;

	private boolean ours;

	private int passed;

	private volatile @Nullable String granted;

	private volatile @Nullable Thread waiter;

	Turnstile(RawQueueClient client, String name, int passes) {
		this.client = client;
		this.name = name;
		this.passes = passes;
	}

	void enter() {
		this.gate.lock();
		if (this.ours) {
			this.passed++;
			return;
		}
		this.passed = 1;
		this.ours = true;
		String mine = this.turn;
		long patience = TimeUnit.SECONDS.toMillis(1);
		if (mine == null) {
			mine = this.client.newTurn(this);
			this.turn = mine;
			patience = this.client.ask(this.name, mine);
		}
		while (patience >= 0 && !granted(mine, patience)) {
			patience = this.client.ask(this.name, mine);
		}
		this.client.forget(mine);
	}

	void leave() {
		boolean others = this.gate.hasQueuedThreads();
		if (!others || this.passed >= this.passes) {
			String again = others ? this.client.newTurn(this) : "";
			long reply = this.client.handOver(this.name, String.valueOf(this.turn), again);
			if (reply < 0) {
				throw new IllegalStateException("The lock was lost");
			}
			this.ours = reply == 1;
			this.turn = others ? again : null;
			this.passed = 0;
			if (this.ours) {
				this.client.forget(again);
			}
		}
		this.gate.unlock();
	}

	void grant(String grantedTurn) {
		this.granted = grantedTurn;
		LockSupport.unpark(this.waiter);
	}

	private boolean granted(String mine, long patienceMillis) {
		long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
		this.waiter = Thread.currentThread();
		while (!mine.equals(this.granted)) {
			long left = deadline - System.nanoTime();
			if (left <= 0) {
				return false;
			}
			LockSupport.parkNanos(left);
		}
		return true;
	}

}
