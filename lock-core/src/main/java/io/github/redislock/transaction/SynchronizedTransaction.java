package io.github.redislock.transaction;

import io.github.redislock.SurroundingTransaction;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction that Spring has bound to the present thread.
 */
final class SynchronizedTransaction implements SurroundingTransaction {

	private final boolean guarded;

	/**
	 * Create an object for the transactions of all threads.
	 * @param guarded whether a lost lock keeps a transaction from its commit
	 */
	SynchronizedTransaction(boolean guarded) {
		this.guarded = guarded;
	}

	@Override
	public boolean isActive() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive();
	}

	@Override
	public void register(Runnable beforeCommit, Runnable afterCompletion) {
		// Its order is the last, so others hear of the end while the lock is held.
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void beforeCommit(boolean readOnly) {
				if (SynchronizedTransaction.this.guarded) {
					beforeCommit.run();
				}
			}

			@Override
			public void afterCompletion(int status) {
				afterCompletion.run();
			}

		});
	}

}
