package io.github.redislock.interceptor.declaration;

/**
 * What an expression is for, and so what it may do.
 */
enum ExpressionUse {

	/** Is a piece of the name of one lock. */
	NAME,

	/** Says which lock of all with that name, or which ones. */
	KEY,

	/** Says which lock of all with that name; it is shared, so there can be one only. */
	SHARED_KEY,

	/** Says how many may share the lock, which is more often a bean's business. */
	PERMITS;

	boolean mayBeSeveral() {
		return this == KEY;
	}

	boolean mayUseBeans() {
		return this == PERMITS;
	}

}
