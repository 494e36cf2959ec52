package io.github.redislock.interceptor.declaration;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.function.BiFunction;

import io.github.redislock.LockOptions;
import io.github.redislock.OnLost;

import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Reads the declared options of a lock, and refuses what cannot work.
 */
public final class LockOptionsReader {

	private static final String HOW_TO_WRITE = "Write a number with a unit, as in '500ms', '30s' or '5m', or ISO-8601 "
			+ "as in 'PT30S'.";

	private final Method method;

	private final Class<?> targetClass;

	private final DeclaredText text;

	private LockOptions options = LockOptions.options();

	/** Whether it is declared how long to wait. */
	private boolean waiting;

	private LockOptionsReader(Method method, Class<?> targetClass, DeclaredText text) {
		this.method = method;
		this.targetClass = targetClass;
		this.text = text;
	}

	public static LockOptions read(Method method, Class<?> targetClass, LockDefinition definition, DeclaredText text) {
		LockOptionsReader reader = new LockOptionsReader(method, targetClass, text);
		reader.setDuration("timeout", definition.timeout(), LockOptions::timeout);
		reader.setDuration("retryDelay", definition.retryDelay(), LockOptions::retryDelay);
		reader.setDuration("waitTime", definition.waitTime(), reader::waitTime);
		reader.setDuration("maxHold", definition.maxHold(), LockOptions::maxHold);
		reader.setDuration("atLeastFor", definition.atLeastFor(), LockOptions::atLeastFor);
		reader.setRetry(definition.retry());
		if (definition.skipIfLocked() && !reader.waiting) {
			reader.options = reader.options.retry(0);
		}
		if (!definition.autoRenew()) {
			reader.options = reader.options.autoRenew(false);
		}
		if (definition.onLost() != OnLost.THROW) {
			reader.options = reader.options.onLost(definition.onLost());
		}
		return reader.options;
	}

	private LockOptions waitTime(LockOptions present, Duration waitTime) {
		this.waiting = true;
		return present.waitTime(waitTime);
	}

	private void setRetry(int retry) {
		if (retry < -1) {
			throw new InvalidLockedMethodException(this.method, this.targetClass, "its retry is " + retry,
					"Use 0 to ask once, or a positive number; leave it out for the default.", null);
		}
		if (retry >= 0) {
			this.waiting = true;
			this.options = this.options.retry(retry);
		}
	}

	private void setDuration(String attribute, String declared, BiFunction<LockOptions, Duration, LockOptions> setter) {
		if (declared.isEmpty()) {
			return;
		}
		String resolved = resolve(attribute, declared);
		if (resolved.isEmpty()) {
			// As in '${app.lock-timeout:}': not declared after all.
			return;
		}
		boolean endless = attribute.equals("waitTime") && resolved.equalsIgnoreCase("forever");
		Duration duration = endless ? ChronoUnit.FOREVER.getDuration() : parse(attribute, declared, resolved);
		try {
			this.options = setter.apply(this.options, duration);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockedMethodException(this.method, this.targetClass,
					"its %s '%s' is out of range: %s".formatted(attribute, declared, ex.getMessage()), HOW_TO_WRITE,
					ex);
		}
	}

	private String resolve(String attribute, String declared) {
		try {
			return this.text.resolve(declared).strip();
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockedMethodException(this.method, this.targetClass,
					"its %s '%s' has a placeholder without a value: %s".formatted(attribute, declared, ex.getMessage()),
					"Set the property, or give a default as in '${some.time:30s}'.", ex);
		}
	}

	private Duration parse(String attribute, String declared, String resolved) {
		try {
			if (resolved.chars().allMatch((c) -> Character.isDigit(c) || c == '-' || c == '+')) {
				throw new IllegalArgumentException("it has no unit");
			}
			return DurationFormatterUtils.detectAndParse(resolved);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockedMethodException(this.method, this.targetClass,
					"its %s '%s' is no duration: %s".formatted(attribute, declared, ex.getMessage()), HOW_TO_WRITE, ex);
		}
	}

}
