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
 * It checks the locks that the thread took before the transaction or inside it,
 * immediately before the commit, without asking the store. It ignores those with
 * {@link OnLost#IGNORE}, handles that are not re-entrant, and transactions without a
 * lock. Each commit fails until the lost lock is released. With Spring Boot all
 * transaction managers that are beans have a guard. Otherwise: <pre class="code">
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
			// Spring rolls back after an exception from here, unless it is one of its
			// own.
			throw new LockLostException(ex.getTarget(), ex.getUnprotected(),
					ex.getReason() + "; thrown before the commit, so this transaction is rolled back");
		}
	}

}
