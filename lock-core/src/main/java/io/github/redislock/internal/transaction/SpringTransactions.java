package io.github.redislock.internal.transaction;

import io.github.redislock.internal.engine.SurroundingTransaction;

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
	 * Return Spring's transactions.
	 * <p>
	 * {@code CommitGuard} does the same as {@code guarded} for locks that were acquired
	 * before the transaction.
	 * @param guarded whether a transaction is rolled back if a lock that was acquired
	 * inside it is lost before the commit, unless the loss is ignored
	 * @return the transactions, or {@link SurroundingTransaction#NONE} if spring-tx is
	 * not on the class path
	 */
	public static SurroundingTransaction of(boolean guarded) {
		return PRESENT ? new SynchronizedTransaction(guarded) : SurroundingTransaction.NONE;
	}

}
