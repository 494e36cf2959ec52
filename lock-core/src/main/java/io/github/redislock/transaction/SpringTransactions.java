package io.github.redislock.transaction;

import io.github.redislock.SurroundingTransaction;

import org.springframework.util.ClassUtils;

/**
 * Lets locks detect Spring's imperative transactions, whether an annotation, a template
 * or a transaction manager begins them. Reactive transactions are not supported, because
 * they are not bound to a thread.
 */
public final class SpringTransactions {

	private static final boolean PRESENT = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronizationManager",
			SpringTransactions.class.getClassLoader());

	private SpringTransactions() {
	}

	/**
	 * Return Spring's transactions, which are rolled back if a lock that was acquired
	 * inside them is lost before the commit, unless the loss is ignored.
	 * @return the transactions, or {@link SurroundingTransaction#NONE} if spring-tx is
	 * not on the class path
	 * @see CommitGuard for locks that were acquired before the transaction
	 */
	public static SurroundingTransaction guarded() {
		return find(true);
	}

	/**
	 * Return Spring's transactions, which commit even if a lock that was acquired inside
	 * them is lost.
	 * @return the transactions, or {@link SurroundingTransaction#NONE} if spring-tx is
	 * not on the class path
	 */
	public static SurroundingTransaction unguarded() {
		return find(false);
	}

	private static SurroundingTransaction find(boolean guarded) {
		return PRESENT ? new SynchronizedTransaction(guarded) : SurroundingTransaction.NONE;
	}

}
