package io.github.redislock.transaction;

import io.github.redislock.LockFence;
import io.github.redislock.LockOptions;
import io.github.redislock.internal.engine.FencedLocks;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * Lets the {@linkplain LockFence fences} of a thread's locks admit each transaction that
 * begins on the thread, before its first statement. If a fence refuses, the transaction
 * is rolled back and does not begin.
 * <p>
 * It applies to the locks that {@link CommitGuard} checks. The auto-configuration adds a
 * guard to all transaction managers that are beans and extend
 * {@link AbstractPlatformTransactionManager}. Otherwise, add one yourself:
 * <pre class="code">
 * transactionManager.addListener(new FenceGuard(transactionManager));
 * </pre>
 *
 * @see LockOptions#fence
 */
public final class FenceGuard implements TransactionExecutionListener {

	private final AbstractPlatformTransactionManager manager;

	/**
	 * Create a guard of the transactions of one manager.
	 * @param manager the manager to which the guard is added
	 */
	public FenceGuard(AbstractPlatformTransactionManager manager) {
		this.manager = manager;
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		if (beginFailure != null) {
			return;
		}
		try {
			FencedLocks.admit();
		}
		catch (Throwable ex) {
			rollBack((DefaultTransactionStatus) transaction, ex);
			throw ex;
		}
	}

	/**
	 * Admit the holder again if a savepoint was rolled back, which may have undone it.
	 */
	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		if (rollbackFailure == null && transaction.isNested() && !transaction.isNewTransaction()) {
			FencedLocks.admit();
		}
	}

	private void rollBack(DefaultTransactionStatus begun, Throwable refusal) {
		try {
			if (begun.hasSavepoint()) {
				begun.rollbackToHeldSavepoint();
			}
			else {
				this.manager.rollback(withoutSuspended(begun));
			}
		}
		catch (RuntimeException ex) {
			refusal.addSuppressed(ex);
		}
	}

	/**
	 * Return a copy whose rollback does not resume the suspended transaction. After a
	 * failed begin, Spring itself resumes it, but leaves the connection and the
	 * synchronization of the begun one bound to the thread.
	 */
	private static DefaultTransactionStatus withoutSuspended(DefaultTransactionStatus begun) {
		return new DefaultTransactionStatus(begun.getTransactionName(), begun.getTransaction(),
				begun.isNewTransaction(), begun.isNewSynchronization(), begun.isNested(), begun.isReadOnly(),
				begun.isDebug(), null);
	}

}
