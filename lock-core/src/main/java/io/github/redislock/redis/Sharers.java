package io.github.redislock.redis;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Who holds a lock, as its key tells: one owner alone, or several that share it.
 *
 * @param owner the owner token, or that of the one of several whose lease ends last
 * @param count how many hold the lock
 * @param isShared whether others could hold it, too
 */
record Sharers(String owner, int count, boolean isShared) {

	private static final Pattern SHARED = Pattern.compile("(?s)shared\t(\\d+)\t(.*)");

	static Sharers of(byte[] lockKeyValue) {
		String value = RedisLockStore.text(lockKeyValue);
		Matcher matcher = SHARED.matcher(value);
		return matcher.matches() ? new Sharers(matcher.group(2), Integer.parseInt(matcher.group(1)), true)
				: new Sharers(value, 1, false);
	}

}
