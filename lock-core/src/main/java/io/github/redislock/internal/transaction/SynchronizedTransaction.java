package io.github.redislock.internal.transaction;

import io.github.redislock.LockLostException;
import io.github.redislock.internal.engine.SurroundingTransaction;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction that Spring has bound to the current thread.
 *
 * @param guarded whether a lost lock prevents the commit of a transaction
 */
public record SynchronizedTransaction(boolean guarded) implements SurroundingTransaction {

	@Override
	public boolean join(Runnable beforeCommit, Runnable afterCompletion) {
		boolean active = TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.isActualTransactionActive();
		if (active) {
			TransactionSynchronizationManager
				.registerSynchronization(new Participant(this.guarded ? beforeCommit : () -> {
				}, afterCompletion));
		}
		return active;
	}

	/**
	 * Run a check immediately before a commit.
	 * @param check throws {@link LockLostException} for a lost lock
	 */
	public static void checkBeforeCommit(Runnable check) {
		try {
			check.run();
		}
		catch (LockLostException ex) {
			// Spring rolls back after an exception that is thrown here, unless the
			// exception is a TransactionException.
			throw new LockLostException(ex.getTarget(), ex.getUnprotected(),
					ex.getReason() + "; thrown before the commit, so this transaction is rolled back");
		}
	}

	/**
	 * Takes part in a transaction for one lock.
	 */
	private static final class Participant implements TransactionSynchronization {

		private final Runnable beforeCommit;

		private final Runnable afterCompletion;

		private boolean runsLater;

		private Participant(Runnable beforeCommit, Runnable afterCompletion) {
			this.beforeCommit = beforeCommit;
			this.afterCompletion = afterCompletion;
		}

		@Override
		public void beforeCommit(boolean readOnly) {
			checkBeforeCommit(this.beforeCommit);
		}

		@Override
		public void beforeCompletion() {
			// No order value guarantees the last place, but a late registration does. A
			// Redis template writes only after the completion, when the lock must still
			// be held.
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					Participant.this.afterCompletion.run();
				}

			});
			this.runsLater = true;
		}

		@Override
		public void afterCompletion(int status) {
			if (!this.runsLater) {
				this.afterCompletion.run();
			}
		}

	}

}
