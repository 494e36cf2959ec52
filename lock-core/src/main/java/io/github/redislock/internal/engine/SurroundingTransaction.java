package io.github.redislock.internal.engine;

/**
 * Provides access to the transaction of the current thread, so that a lock is not
 * released before the changes made under it are visible to others.
 * <p>
 * The method is called on the thread that acquires or releases a lock, and must not
 * block. {@code io.github.redislock.internal.transaction.SpringTransactions} provides
 * access to Spring's transactions.
 */
@FunctionalInterface
public interface SurroundingTransaction {

	/**
	 * No transactions: locks are released at once.
	 */
	SurroundingTransaction NONE = (beforeCommit, afterCompletion) -> false;

	/**
	 * Register callbacks with the current thread's transaction, if there is one that has
	 * not ended and is not suspended.
	 * @param beforeCommit runs before a commit, but not before a rollback; throws to
	 * prevent the commit
	 * @param afterCompletion runs once after the commit or rollback; never throws
	 * @return whether the thread is in such a transaction
	 */
	boolean join(Runnable beforeCommit, Runnable afterCompletion);

}
