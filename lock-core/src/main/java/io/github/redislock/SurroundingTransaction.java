package io.github.redislock;

/**
 * Provides access to the transaction of the current thread, so that a lock is not
 * released before the changes made under it are visible to others.
 * <p>
 * The methods are called on the thread that acquires or releases a lock, and must not
 * block. {@code io.github.redislock.transaction.SpringTransactions} implements this
 * interface for Spring's transactions.
 *
 * @see io.github.redislock.engine.LockConfiguration#transaction
 */
public interface SurroundingTransaction {

	/**
	 * No transactions: locks are released at once.
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
	 * Return whether the current thread is in a transaction that has not ended.
	 * @return {@code false} while that transaction is suspended
	 */
	boolean isActive();

	/**
	 * Register callbacks with the current thread's transaction.
	 * @param beforeCommit runs before a commit, but not before a rollback; throws to
	 * prevent the commit
	 * @param afterCompletion runs once after the commit or rollback; never throws
	 */
	void register(Runnable beforeCommit, Runnable afterCompletion);

}
