package io.github.redislock.internal.interceptor.declaration;

import org.jspecify.annotations.Nullable;

/**
 * Thrown, usually at startup, if locks are declared or configured in a way that cannot
 * work.
 */
public class LockSetupException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String description;

	private final String action;

	/**
	 * Create an exception that says what is wrong and how to fix it.
	 * @param description what is wrong, as a sentence
	 * @param action what to do now, as a sentence
	 * @param cause the cause, if any
	 */
	public LockSetupException(String description, String action, @Nullable Throwable cause) {
		super(description + " " + action, cause);
		this.description = description;
		this.action = action;
	}

	/**
	 * Return what is wrong.
	 * @return one or more sentences
	 */
	public String getDescription() {
		return this.description;
	}

	/**
	 * Return what to do now.
	 * @return one or more sentences
	 */
	public String getAction() {
		return this.action;
	}

}
