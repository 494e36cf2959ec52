package io.github.redislock;

/**
 * Knows the transaction of the current thread, so that no lock is released before others
 * can see the changes made under it.
 * <p>
 * Called on the thread that takes or releases a lock. Must not block.
 * {@code io.github.redislock.transaction.SpringTransactions} implements it for Spring's
 * transactions.
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
	 * Return whether the current thread works in a transaction that has not ended.
	 * @return {@code false} while that transaction is suspended
	 */
	boolean isActive();

	/**
	 * Register with the transaction in which the current thread works.
	 * @param beforeCommit runs before a commit, but not before a rollback; throws to
	 * prevent the commit
	 * @param afterCompletion runs once after the commit or rollback; never throws
	 */
	void register(Runnable beforeCommit, Runnable afterCompletion);

}
