package io.github.redislock.transaction;

import io.github.redislock.LockContext;
import io.github.redislock.LockLostException;
import io.github.redislock.OnLost;

import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Prevents the commit of a transaction whose thread works under a lost lock: the commit
 * fails with {@link LockLostException}, and the transaction is rolled back.
 * <p>
 * It checks the locks that the thread acquired before or inside the transaction,
 * immediately before the commit. It asks the store only if this process itself cannot
 * know whether a lock is still held. It ignores locks with {@link OnLost#IGNORE}, and
 * handles that are detached or not re-entrant. Each commit fails until the lost lock is
 * released. By default, the auto-configuration adds a guard to all transaction managers
 * that are beans and accept listeners. Otherwise, add one yourself: <pre class="code">
 * transactionManager.addListener(new CommitGuard());
 * </pre>
 *
 * @see ConfigurableTransactionManager#addListener
 * @see LockContext#requireNoneLost()
 */
public final class CommitGuard implements TransactionExecutionListener {

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		check(LockContext::requireNoneLost);
	}

	/**
	 * Run a check immediately before a commit.
	 * @param check throws {@link LockLostException} for a lost lock
	 */
	static void check(Runnable check) {
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

}
