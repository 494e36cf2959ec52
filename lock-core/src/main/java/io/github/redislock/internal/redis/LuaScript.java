package io.github.redislock.internal.redis;

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
 * A script, read from a file and the shared parts that it includes.
 *
 * @param name the name of the file, without its extension
 * @param text the whole text with the shared parts
 * @param sha1 the digest of the text
 * @param returnsList whether the script returns a list and not a number
 * @param turn which other scripts this one waits for when too many are under way
 */
public record LuaScript(String name, String text, String sha1, boolean returnsList, Turn turn) implements Script {

	private static final String INCLUDE = "-- include: ";

	private static final String SHARED_PARTS = "/io/github/redislock/redis/lib/";

	/**
	 * Read a script.
	 * @param beside a class in the package of the file
	 */
	public static LuaScript read(Class<?> beside, String name, boolean returnsList, Turn turn) {
		String text = file(beside, name).lines().map(LuaScript::expand).collect(Collectors.joining("\n"));
		return new LuaScript(name, text, sha1(text), returnsList, turn);
	}

	@Override
	public byte[] bytes() {
		return this.text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Replace a line with the parts that it includes.
	 */
	private static String expand(String line) {
		if (!line.startsWith(INCLUDE)) {
			return line;
		}
		return Arrays.stream(line.substring(INCLUDE.length()).split(", "))
			.map((part) -> file(LuaScript.class, SHARED_PARTS + part))
			.collect(Collectors.joining());
	}

	private static String file(Class<?> beside, String name) {
		String file = name + ".lua";
		try (InputStream input = beside.getResourceAsStream(file)) {
			if (input == null) {
				throw new IllegalStateException("Lua script " + file + " is missing next to " + beside);
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
