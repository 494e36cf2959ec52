package io.github.redislock.transaction;

import io.github.redislock.LockContext;
import io.github.redislock.LockLostException;
import io.github.redislock.OnLost;

import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Keeps a transaction from its commit if a lock is lost under which its thread works: the
 * commit fails with {@link LockLostException}, and all is rolled back.
 * <p>
 * Looks at the locks that the thread took before the transaction or inside it, in the
 * last moment before the commit, without asking the store; not at those with
 * {@link OnLost#IGNORE}, and not at handles that are not re-entrant. Each commit fails
 * until the lost lock is released. A transaction without a lock is not its concern. With
 * Spring Boot all transaction managers that are beans have one. By hand:
 * <pre class="code">
 * transactionManager.addListener(new CommitGuard());
 * </pre>
 *
 * @see ConfigurableTransactionManager#addListener
 * @see LockContext#requireNoneLost()
 */
public final class CommitGuard implements TransactionExecutionListener {

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		// Spring rolls back after an exception from here that is not its own.
		LockContext.requireNoneLost();
	}

}
