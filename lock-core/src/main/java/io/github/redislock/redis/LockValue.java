package io.github.redislock.redis;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.redislock.LockState;
import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * The value of a lock key: the owner token, alone or with the fencing token, or, for a
 * shared lock, the number of owners and the token of one of them.
 *
 * @param owner the owner token. For a shared lock, the key has the token of the owner
 * whose lease ends last, and a refusal has that of the owner whose lease ends first
 * @param token the first fencing token, or 0 if the value has none
 * @param count how many owners hold the lock
 * @param isShared whether other owners may hold the lock at the same time
 */
record LockValue(String owner, long token, int count, boolean isShared) {

	/** See {@code lib/hold.lua}. */
	private static final Pattern WITH_TOKEN = Pattern.compile("(?s)(.*/[^/\t]*)\t\\d{1,9}\t(\\d{1,16})(\t\\S+)?");

	private static final Pattern SHARED = Pattern.compile("(?s)shared\t(\\d{1,9})\t(.*)");

	static LockValue of(String value) {
		Matcher shared = SHARED.matcher(value);
		if (shared.matches()) {
			return new LockValue(shared.group(2), 0, Integer.parseInt(shared.group(1)), true);
		}
		Matcher matcher = WITH_TOKEN.matcher(value);
		return matcher.matches() ? new LockValue(matcher.group(1), Long.parseLong(matcher.group(2)), 1, false)
				: new LockValue(value, 0, 1, false);
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
		String reply = LockKeys.text(valueAndRest);
		int end = reply.lastIndexOf('\t');
		LockValue value = of(reply.substring(0, end));
		long rest = Long.parseLong(reply.substring(end + 1));
		return (value.token() == 0 || rest < 0) ? null
				: LockState.of(name, value.owner(), Duration.ofMillis(rest), value.token(), null, 0L, true, 1);
	}

}
