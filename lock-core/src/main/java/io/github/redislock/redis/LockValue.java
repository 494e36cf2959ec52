package io.github.redislock.redis;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.redislock.LockState;
import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * The value of a lock key: the owner token or, for a shared lock, the number of owners
 * and the token of one of them.
 *
 * @param owner the owner token. For a shared lock, the key has the token of the owner
 * whose lease ends last, and a refusal has that of the owner whose lease ends first
 * @param count how many owners hold the lock
 * @param isShared whether other owners may hold the lock at the same time
 */
record LockValue(String owner, int count, boolean isShared) {

	/**
	 * What {@code take.lua} returns for a held lock: the value that it wrote to the lock
	 * key, and the key's remaining time to live in milliseconds.
	 */
	private static final Pattern QUICK = Pattern.compile("(?s)(.*)\t\\d{1,9}\t(\\d{1,16})\t(\\d+)");

	private static final Pattern SHARED = Pattern.compile("(?s)shared\t(\\d{1,9})\t(.*)");

	static LockValue of(byte[] lockKeyValue) {
		String value = LockKeys.text(lockKeyValue);
		Matcher matcher = SHARED.matcher(value);
		return matcher.matches() ? new LockValue(matcher.group(2), Integer.parseInt(matcher.group(1)), true)
				: new LockValue(value, 1, false);
	}

	/**
	 * Return the value of the key of an uncontended lock.
	 * @param token the first fencing token, or empty text if the script adds it
	 */
	static String quick(AcquireRequest request, String token) {
		return request.owner() + '\t' + request.tokens() + '\t' + token;
	}

	/**
	 * Return the holder of an uncontended lock.
	 * @param valueAndRest the value of the lock key and the remaining milliseconds
	 * @return {@code null} if the key has no expiry, or its value is not ours
	 */
	static @Nullable LockState stateOfQuick(String name, byte[] valueAndRest) {
		Matcher matcher = QUICK.matcher(LockKeys.text(valueAndRest));
		return !matcher.matches() ? null : LockState.of(name, matcher.group(1),
				Duration.ofMillis(Long.parseLong(matcher.group(3))), Long.valueOf(matcher.group(2)), null, 0L, true, 1);
	}

}
