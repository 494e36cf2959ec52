package io.github.redislock.campaign.worker;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;

import io.github.redislock.redis.RedisLockStoreOptions;
import org.jspecify.annotations.Nullable;

/**
 * Whether a Redis that has lost its data gives no locks for a while.
 */
public final class Quarantine {

	private static final String OPTION = "coldStartQuarantine";

	private Quarantine() {
	}

	/**
	 * Return whether this version of the library has the option.
	 * @return whether there is anything to switch on
	 */
	public static boolean isKnown() {
		return option() != null;
	}

	static RedisLockStoreOptions options(Duration length) {
		RedisLockStoreOptions options = RedisLockStoreOptions.defaults();
		Method option = option();
		if (length.isZero() || option == null) {
			return options;
		}
		try {
			return (RedisLockStoreOptions) option.invoke(options, length);
		}
		catch (IllegalAccessException | InvocationTargetException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static @Nullable Method option() {
		try {
			return RedisLockStoreOptions.class.getMethod(OPTION, Duration.class);
		}
		catch (NoSuchMethodException ex) {
			return null;
		}
	}

}
