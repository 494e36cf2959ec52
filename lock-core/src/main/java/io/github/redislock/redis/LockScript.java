package io.github.redislock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Collectors;

/**
 * A script that Redis runs as one step, read from the file of its name and the parts that
 * it shares with others.
 */
enum LockScript {

	/** Acquires a lock or joins its queue. */
	ACQUIRE("acquire", true, "fence", "queue", "acquire"),

	/** Releases a lock, to the next one who waits. */
	RELEASE("release", false, "fence", "queue", "release"),

	/** Releases a lock and acquires it anew. */
	YIELD("yield", true, "fence", "queue", "release", "acquire"),

	/** Renews a lock. */
	RENEW("renew", false, "fence"),

	/** Withdraws a request for a lock. */
	WITHDRAW("withdraw", false, "fence", "queue", "release"),

	/** Tells who holds a lock and how many wait. */
	INSPECT("inspect", true, "fence"),

	/** Takes a lock away from its holder. */
	FORCE_RELEASE("force-release", false, "fence", "queue");

	private final String text;

	private final String sha1;

	private final boolean list;

	LockScript(String name, boolean list, String... library) {
		this.list = list;
		this.text = Arrays.stream(library).map((part) -> read("lib/" + part)).collect(Collectors.joining())
				+ read(name);
		this.sha1 = sha1(this.text);
	}

	/**
	 * Return the whole text, shared parts included.
	 */
	byte[] bytes() {
		return this.text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Return the digest by which Redis knows the script once it has run it.
	 */
	String sha1() {
		return this.sha1;
	}

	/**
	 * Return whether the script answers a list, otherwise a number.
	 */
	boolean returnsList() {
		return this.list;
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
