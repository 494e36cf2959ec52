package io.github.redislock.transaction;

import io.github.redislock.LockContext;
import io.github.redislock.LockLostException;
import io.github.redislock.OnLost;
import io.github.redislock.internal.transaction.SynchronizedTransaction;

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
		SynchronizedTransaction.checkBeforeCommit(LockContext::requireNoneLost);
	}

}
