package io.github.redislock.redis;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The value of a lock key: the token of the one owner, or that several share the lock.
 *
 * @param owner the owner token, or that of the one of several whose lease ends last
 * @param count how many hold the lock
 * @param isShared whether others could hold it, too
 */
record LockValue(String owner, int count, boolean isShared) {

	private static final Pattern SHARED = Pattern.compile("(?s)shared\t(\\d+)\t(.*)");

	static LockValue of(byte[] lockKeyValue) {
		String value = LockKeys.text(lockKeyValue);
		Matcher matcher = SHARED.matcher(value);
		return matcher.matches() ? new LockValue(matcher.group(2), Integer.parseInt(matcher.group(1)), true)
				: new LockValue(value, 1, false);
	}

}
