package io.github.redislock;

/**
 * Knows the transaction in which the present thread works, so that no lock is let go
 * before others can see what was done under it.
 * <p>
 * Asked on the thread that takes a lock or lets one go. Must not block. Of Spring's
 * transactions, {@code io.github.redislock.transaction.SpringTransactions} knows.
 *
 * @see io.github.redislock.engine.LockConfiguration#transaction
 */
public interface SurroundingTransaction {

	/**
	 * There never is a transaction: locks are let go at once.
	 */
	SurroundingTransaction NONE = new SurroundingTransaction() {

		@Override
		public boolean isActive() {
			return false;
		}

		@Override
		public void register(Runnable beforeCommit, Runnable afterCompletion) {
			throw new IllegalStateException("there is no transaction");
		}

	};

	/**
	 * Return whether the present thread works in a transaction that has not ended.
	 * @return {@code false} also while that transaction is suspended
	 */
	boolean isActive();

	/**
	 * Take part in the transaction in which the present thread works.
	 * @param beforeCommit run before the commit; throws if it must not take place. Not
	 * run before a roll-back.
	 * @param afterCompletion run once when the transaction has ended, in whatever way;
	 * never throws
	 */
	void register(Runnable beforeCommit, Runnable afterCompletion);

}
