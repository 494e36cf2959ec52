package io.github.redislock;

/**
 * Admits the holder of a lock in a transaction, before the transaction's first statement,
 * and refuses a holder that is older than one that was admitted before. So a process that
 * was stopped for longer than its lease cannot commit what it still writes.
 * <p>
 * {@link io.github.redislock.fencing.JdbcFence} is the fence for databases with JDBC. A
 * lock names its fence with {@link LockOptions#fence}, or with the attribute of the same
 * name of {@link io.github.redislock.annotation.DistributedLock}. All writers must use
 * the same fence. Thread-safe.
 */
public interface LockFence {

	/**
	 * Return whether the current thread has a transaction in which this fence can admit a
	 * holder.
	 * @return {@code false} if there is no transaction, or only those of other databases
	 * @throws IllegalStateException if that cannot be found out
	 */
	boolean isInTransaction();

	/**
	 * Admit a holder in the transaction of the current thread, or refuse it. The
	 * transaction of a holder that was refused must not commit, even if the caller
	 * ignores the exception.
	 * @param lockName the name of one lock
	 * @param token the holder's fencing token
	 * @param holder identifies the holder; no secret, and up to 255 characters long
	 * @throws RuntimeException if a holder with a greater token, or another holder with
	 * the same token, was admitted before
	 */
	void admit(String lockName, long token, String holder);

	/**
	 * Fail if this fence can never work, for example because its table is missing. Called
	 * at startup for the fences of annotated methods. A database that does not reply is
	 * not a reason to fail.
	 * @throws IllegalStateException with a message that names what is missing
	 */
	void check();

}
