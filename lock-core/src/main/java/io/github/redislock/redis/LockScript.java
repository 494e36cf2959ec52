package io.github.redislock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

import io.github.redislock.redis.client.Script;

/**
 * A script, read from the file of its name and the shared parts.
 */
enum LockScript implements Script {

	/** Takes and releases uncontended locks. */
	QUICK("quick", true, Turn.AT_ONCE),

	/** Acquires a lock or joins its queue. */
	ACQUIRE("acquire", true, Turn.ASKING),

	/** Acquires several locks or joins their queues. */
	ACQUIRE_ALL("acquire-all", true, Turn.ASKING),

	/** Acquires a place in a shared lock or joins its queue. */
	ACQUIRE_SHARED("acquire-shared", true, Turn.ASKING),

	/** Releases a lock to the next waiter. */
	RELEASE("release", true, Turn.AT_ONCE),

	/** Releases several locks, each to its next waiter. */
	RELEASE_ALL("release-all", true, Turn.AT_ONCE),

	/** Releases a place in a shared lock to the next waiter. */
	RELEASE_SHARED("release-shared", true, Turn.AT_ONCE),

	/** Releases a lock and acquires it again. */
	YIELD("yield", true, Turn.AT_ONCE),

	/** Renews locks. */
	RENEW("renew", true, Turn.AT_ONCE),

	/** Renews places in shared locks. */
	RENEW_SHARED("renew-shared", true, Turn.AT_ONCE),

	/** Downgrades an exclusive lock to a place in it. */
	DOWNGRADE("downgrade", false, Turn.AT_ONCE),

	/** Raises the fencing tokens of locks that were just granted. */
	RAISE("raise", false, Turn.AT_ONCE),

	/** Withdraws a request for a lock. */
	WITHDRAW("withdraw", false, Turn.WITHDRAWING),

	/** Withdraws a request for several locks. */
	WITHDRAW_ALL("withdraw-all", false, Turn.WITHDRAWING),

	/** Withdraws a request for a place in a shared lock. */
	WITHDRAW_SHARED("withdraw-shared", false, Turn.WITHDRAWING),

	/** Inspects the holder of a lock and counts the waiters. */
	INSPECT("inspect", true, Turn.ASKING),

	/** Takes a lock away from its holder. */
	FORCE_RELEASE("force-release", true, Turn.ASKING);

	private static final String INCLUDE = "-- include: ";

	private final String text;

	private final String sha1;

	private final boolean list;

	private final Turn turn;

	LockScript(String name, boolean list, Turn turn) {
		this.list = list;
		this.turn = turn;
		this.text = read(name).lines().map(LockScript::expand).collect(Collectors.joining("\n"));
		this.sha1 = sha1(this.text);
	}

	@Override
	public byte[] bytes() {
		return this.text.getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public String sha1() {
		return this.sha1;
	}

	@Override
	public boolean returnsList() {
		return this.list;
	}

	@Override
	public boolean isSameReply(Object reply, Object later) {
		if (this == RENEW || this == RENEW_SHARED) {
			// The server's clock comes first.
			List<?> renewed = (List<?>) reply;
			return renewed.subList(1, renewed.size()).equals(((List<?>) later).subList(1, renewed.size()));
		}
		return reply.equals(later);
	}

	@Override
	public Turn turn() {
		return this.turn;
	}

	/**
	 * Replace a line by the parts that it includes.
	 */
	private static String expand(String line) {
		if (!line.startsWith(INCLUDE)) {
			return line;
		}
		return Arrays.stream(line.substring(INCLUDE.length()).split(", "))
			.map((part) -> read("lib/" + part))
			.collect(Collectors.joining());
	}

	private static String read(String name) {
		String file = name + ".lua";
		try (InputStream input = LockScript.class.getResourceAsStream(file)) {
			if (input == null) {
				throw new IllegalStateException("Lua script " + file + " is missing beside " + LockScript.class);
			}
			return new String(input.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String sha1(String text) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-1", ex);
		}
	}

}
