package io.github.redislock.interceptor.declaration;

import java.lang.reflect.Method;

import io.github.redislock.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * What was declared about the lock of a method: text as it stands in the source, not yet
 * read. Empty text means "not declared".
 */
public interface LockDefinition {

	/**
	 * That no number of permits was declared.
	 */
	int NO_PERMITS = Integer.MIN_VALUE;

	/**
	 * Return where the lock was declared: the method itself, or the one that it overrides
	 * or implements.
	 * @return the method whose parameter names the expressions use
	 */
	Method declaredOn();

	/**
	 * Return the type on which the lock was declared for all of its public methods.
	 * @return the class or interface, or {@code null} if it was declared on one method
	 */
	default @Nullable Class<?> declaredOnType() {
		return null;
	}

	/**
	 * Return the name of the lock.
	 * @return text with <code>#{…}</code> and <code>${…}</code>; if empty, the simple
	 * class name, a dot and the method's name
	 */
	String name();

	/**
	 * Return what is appended to the name, after a colon.
	 * @return a SpEL expression, or empty
	 */
	String key();

	/**
	 * Return the name by which metrics count the lock.
	 * @return text with <code>${…}</code>; if empty, the declared name
	 */
	default String metricName() {
		return "";
	}

	/**
	 * Return whether the lock is shared with all others that only read.
	 * @return {@code false} if it is had alone, or there are permits
	 */
	default boolean isReading() {
		return false;
	}

	/**
	 * Return how many may hold the lock at the same time.
	 * @return a number, or {@link #NO_PERMITS} if not declared
	 */
	default int permits() {
		return NO_PERMITS;
	}

	/**
	 * Return how many may hold the lock at the same time, as text.
	 * @return a number, <code>${…}</code> or <code>#{…}</code>, or empty
	 */
	default String permitsString() {
		return "";
	}

	/**
	 * Return the lease.
	 * @return a duration or <code>${…}</code>, or empty
	 */
	String timeout();

	/**
	 * Return how many delays to wait for a lock that is not free.
	 * @return a number, or -1 if not declared
	 */
	int retry();

	/**
	 * Return the time between two questions, where the store has to be asked.
	 * @return a duration or <code>${…}</code>, or empty
	 */
	String retryDelay();

	/**
	 * Return how long to wait for the lock in all.
	 * @return a duration or <code>${…}</code>, or empty
	 */
	String waitTime();

	/**
	 * Return whether the lease is renewed while the method runs.
	 * @return {@code true} leaves it to the template's options
	 */
	boolean autoRenew();

	/**
	 * Return for how long the lock may be held by renewing it.
	 * @return a duration or <code>${…}</code>, or empty
	 */
	String maxHold();

	/**
	 * Return how long the lock stays closed at least.
	 * @return a duration or <code>${…}</code>, or empty
	 */
	String atLeastFor();

	/**
	 * Return what becomes of the method when its lock is lost.
	 * @return {@link OnLost#THROW} leaves it to the template's options
	 */
	OnLost onLost();

	/**
	 * Return whether the call is left out when somebody else has the lock.
	 * @return {@code false} throws
	 */
	boolean skipIfLocked();

	/**
	 * Return the name of the method that answers when somebody else has the lock.
	 * @return a method name, or empty
	 */
	String fallback();

	/**
	 * Return the bean that takes the lock.
	 * @return a bean's name or <code>${…}</code>, or empty for the only one
	 */
	default String template() {
		return "";
	}

}
