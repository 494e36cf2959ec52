package io.github.redislock.internal.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.DigestUtils;

/**
 * A Lua script, which Redis runs atomically.
 *
 * @param name the name of the file, without its extension
 * @param text the whole text, including the shared parts
 * @param digest the digest by which Redis knows the script after it was loaded; computed
 * when it is first needed, because applications run few of the scripts
 * @param reply the type of the script's reply
 * @param priority which other scripts this one waits for when too many are under way
 */
public record Script(String name, String text, Supplier<String> digest, Reply reply, Priority priority) {

	private static final String INCLUDE = "-- include: ";

	private static final String SHARED_PARTS = "/io/github/redislock/redis/lib/";

	/** The shared parts by name, because most of them are in many scripts. */
	private static final Map<String, String> PARTS = new ConcurrentHashMap<>();

	/**
	 * Create a script from its whole text.
	 */
	public static Script of(String name, String text, Reply reply, Priority priority) {
		AtomicReference<String> digest = new AtomicReference<>("");
		// Without a monitor, because a thread that must not block may need the digest.
		return new Script(name, text, () -> {
			if (digest.get().isEmpty()) {
				digest.set(DigestUtils.sha1DigestAsHex(text));
			}
			return digest.get();
		}, reply, priority);
	}

	/**
	 * Read a script from a file and the shared parts that it includes.
	 * @param neighbor a class in the package of the file
	 */
	public static Script read(Class<?> neighbor, String name, Reply reply, Priority priority) {
		String text = file(neighbor, name).lines().map(Script::expand).collect(Collectors.joining("\n"));
		return of(name, text, reply, priority);
	}

	public String sha1() {
		return this.digest.get();
	}

	public byte[] bytes() {
		return this.text.getBytes(StandardCharsets.UTF_8);
	}

	boolean returnsList() {
		return this.reply == Reply.LIST;
	}

	private static String expand(String line) {
		if (!line.startsWith(INCLUDE)) {
			return line;
		}
		return Arrays.stream(line.substring(INCLUDE.length()).split(", "))
			.map((part) -> PARTS.computeIfAbsent(part, (name) -> file(Script.class, SHARED_PARTS + name)))
			.collect(Collectors.joining());
	}

	private static String file(Class<?> neighbor, String name) {
		try {
			return new ClassPathResource(name + ".lua", neighbor).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The type of a script's reply.
	 */
	public enum Reply {

		NUMBER,

		LIST,

		/**
		 * A list, or its only element. Jedis returns both for a script that is said to
		 * return a number; such scripts are not run with other blocking clients.
		 */
		ONE_OR_LIST

	}

	/**
	 * Which other scripts a script waits for when too many are under way.
	 */
	public enum Priority {

		/** Waits for no other script. */
		AT_ONCE,

		/**
		 * Waits for other scripts that acquire locks, inspect them or release them by
		 * force.
		 */
		ACQUISITION,

		/** Waits for other withdrawals. */
		WITHDRAWAL

	}

}
