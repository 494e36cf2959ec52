package io.github.redislock.simulation.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.github.redislock.redis.ScriptTexts;
import io.github.redislock.simulation.redis.StoredValue.SortedSet;
import io.github.redislock.simulation.redis.StoredValue.Text;
import org.jspecify.annotations.Nullable;

/**
 * Draws random commands: those that the scripts use, with valid and invalid arguments;
 * small scripts that probe the limits of types; and all scripts of the product with
 * plausible arguments.
 */
final class RandomCommands {

	/** The channels that have a subscriber. */
	static final List<String> HEARD = List.of("inbox:0", "inbox:1");

	/**
	 * The expression that replaces a script's read of the clock, so that both servers use
	 * the same time. It returns the last two arguments of the script.
	 */
	private static final String CLOCK = "{ARGV[#ARGV - 1], ARGV[#ARGV]}";

	private static final List<String> KEYS = List.of("a", "b", "c", "d\0\u00ff");

	/** Keys of locks that random commands occasionally use. */
	private static final List<String> LOCK_KEYS = List.of("lock:{0}", "lock:{0}:fence", "lock:{1}:queue",
			"lock:{1}:waiters", "lock:{2}:places", "lock:{2}:grants", "since");

	private static final List<String> WORDS = List.of("a", "b", "c", "ab", "", "\0", "\u00ff\u0080", "\u00c3\u00bc",
			"10", "-", "x y", "1700000000000000 1 0 r1 - i/r1", "i/r1\t1\t1700000000000000",
			"i/r1\t1\t1700000000000000\tr2", "r1", "r1 200 1 inbox:0 i/r1",
			"9700000000000000 12345 200 1 inbox:0 i/r1");

	private static final List<String> INTEGERS = List.of("0", "1", "2", "-1", "-2", "5", "100", "-100", "-0", "01",
			"+1", " 1", "1.0", "x", "", "9223372036854775807", "-9223372036854775808", "9223372036854775808");

	private static final List<String> TTLS = List.of("1", "2", "3", "10", "100", "1000", "60000", "0", "-1", "-5000",
			"1.5", "x", "", "9223372036854775807", "-9223372036854775808", "922337203685477", "99999999999999999999");

	/**
	 * No number with all its digits exceeds 1e17. If a script computed a time from such a
	 * number, Redis up to 7.0 would write the result with an exponent, and Redis 7.2 with
	 * all its digits.
	 */
	private static final List<String> SCORES = List.of("0", "1", "2", "-1", "1.5", "0.1", "3.0e2", ".5", "5.", "1e17",
			"12345678901234567", "9007199254740993", "1e-7", "1e300", "1700000000000000", "inf", "-inf", "+inf",
			"Infinity", "nan", "x", "1x", "1 ");

	private static final List<String> SNIPPETS = List.of("return ARGV[1]", "return #KEYS + #ARGV",
			"return {1, 2.9, -2.9, 1e15, 9007199254740993, '3', true, false, 4}", "return {1, nil, 3}",
			"return {{}, {{'a'}}, {1, {2, {3}}}}", "return 3.99", "return -0.5", "return 1e300", "return -1e300",
			"return 0/0", "return true", "return false", "return nil", "return", "return {ok = 'FINE'}",
			"return {err = 'WRONGTYPE'}", "return {err = 'ERR my own words'}", "return {1, {err = 'X inside'}}",
			"return function() end", "error('thrown')", "error({err = 'ERR thrown table'})", "error(nil)",
			"local x = nil; return x.y", "\n\nreturn redis.call('GET', KEYS[1])",
			"local v = redis.call('GET', KEYS[1])\nreturn {type(v), v}",
			"local v = redis.pcall('GET', KEYS[1])\nif type(v) == 'table' then return v.err end return v",
			"return redis.pcall('GET', KEYS[1])", "return pcall(redis.call, 'GET', KEYS[1]) and 1 or 0",
			"return redis.call('SET', KEYS[1], ARGV[1])", "return redis.call('SET', KEYS[1], ARGV[1], 'NX') and 1 or 2",
			"return redis.call('SET', KEYS[1], ARGV[1]).ok", "return type(redis.call('SET', KEYS[1], 'v', 'NX'))",
			"return redis.call('SET', KEYS[1], 1e15)", "return redis.call('SET', KEYS[1], 9007199254740992)",
			"return redis.call('SET', KEYS[1], 0.5)", "return redis.call('SET', KEYS[1], -1e20)",
			"return redis.call('SET', KEYS[1], string.format('%.0f', 1700000000123456))",
			"return redis.call('SET', KEYS[1], string.format('%d', 12))", "return redis.call('GET')",
			"return redis.call('GET', KEYS[1], 'b')", "return redis.call('GET', true)", "return redis.call('GET', {})",
			"return redis.call()", "return redis.call('HSET', KEYS[1], 'a', ARGV[1], 'b')",
			"redis.pcall('ZADD', KEYS[1], 5, ARGV[1], 7, 'z')\n"
					+ "return redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')",
			"redis.pcall('HSET', KEYS[1], ARGV[1], ARGV[2])\nreturn redis.call('HGET', KEYS[1], ARGV[1])",
			"return redis.call('PEXPIRE', KEYS[1], 1500.7)", "return redis.call('PEXPIRE', KEYS[1], 50)",
			"return redis.call('MGET', KEYS[1], KEYS[2])", "return redis.call('DEL', KEYS[1], KEYS[1], KEYS[2])",
			"redis.call('DEL', KEYS[1])\nreturn redis.call('SET', KEYS[1], ARGV[1], 'PX', '100')",
			"redis.pcall('SET', KEYS[1], ARGV[1])\nreturn redis.call('SET', KEYS[2], ARGV[2], 'KEEPTTL')",
			"return redis.pcall('PUBLISH', 'inbox:0', ARGV[1])", "return redis.call('PUBLISH', 'inbox:9', ARGV[1])",
			"return redis.call('PUBSUB', 'NUMSUB', 'inbox:0', 'inbox:9')", "return #redis.call('TIME')",
			"return {string.byte(ARGV[1], 1, -1)}", "return string.len(ARGV[1])", "leak = 1", "return leak",
			"return tostring(ARGV[9])", "return {string.format('%.0f %d %s', 2^53, 7, 'x'), 2^31, math.floor(-1.5)}",
			"local n = 0\nfor _ in pairs(ARGV) do n = n + 1 end\nreturn n");

	private final Random random;

	private final List<String> tokens = new ArrayList<>(List.of("1"));

	private final Map<String, String> scripts = new LinkedHashMap<>();

	private long skewMicros;

	RandomCommands(long seed) {
		this.random = new Random(seed);
		ScriptTexts.all().forEach((name, text) -> this.scripts.put(name, text.replace("redis.call('TIME')", CLOCK)));
	}

	/**
	 * Return the texts of all scripts that may be drawn.
	 */
	List<String> scripts() {
		List<String> all = new ArrayList<>(SNIPPETS);
		all.addAll(this.scripts.values());
		return all;
	}

	/**
	 * Draw the next command.
	 * @param keys the stored keys
	 */
	Drawn next(Map<String, StoredKey> keys) {
		int kind = this.random.nextInt(100);
		if (kind < 35) {
			return new Drawn("command", null, List.of(), command());
		}
		if (kind < 50) {
			return new Drawn("snippet", oneOf(SNIPPETS), List.of(key(), key()), List.of(word(), word()));
		}
		return script(keys);
	}

	/**
	 * Record the fencing token in a script's reply, because a later command may use it.
	 */
	void replied(Object reply) {
		if (reply instanceof List<?> items && items.size() == 2 && items.get(1) instanceof Long token) {
			this.tokens.set(0, token.toString());
		}
	}

	private List<String> command() {
		List<String> words = new ArrayList<>(switch (this.random.nextInt(21)) {
			case 0 -> List.of("EXISTS", key(), key());
			case 1 -> List.of("GET", key());
			case 2 -> List.of("HGET", key(), word());
			case 3 -> List.of("MGET", key(), key());
			case 4 -> List.of("PTTL", key());
			case 5 -> List.of("ZCARD", key());
			case 6 -> List.of("ZCOUNT", key(), bound(), bound());
			case 7 -> List.of("ZRANGE", key(), integer(), integer());
			case 8 -> List.of("ZRANGE", key(), integer(), integer(), "withscores");
			case 9 -> List.of("ZRANGE", key(), bound(), bound(), "BYSCORE", maybe("WITHSCORES", "BYSCORE"));
			case 10 -> List.of("ZSCORE", key(), word());
			case 11 -> List.of("DEL", key(), key());
			case 12 -> List.of("HDEL", key(), word(), word());
			case 13 -> List.of("PERSIST", key());
			case 14 -> List.of("PEXPIRE", key(), oneOf(TTLS));
			case 15 -> List.of("ZREM", key(), word(), word());
			case 16 -> List.of("HSET", key(), word(), word(), word(), word());
			case 17 -> set();
			case 18 -> List.of("ZADD", key(), score(), word(), score(), word());
			case 19 -> List.of("ZPOPMIN", key());
			default -> List.of("ZADD", key(), "NX", score(), word());
		});
		if (chance(5)) {
			words.remove(words.size() - 1);
		}
		else if (chance(3) && !List.of("PEXPIRE", "ZPOPMIN").contains(words.get(0))) {
			words.add(word());
		}
		if (chance(5)) {
			words.set(0, words.get(0).toLowerCase());
		}
		return words;
	}

	private List<String> set() {
		return switch (this.random.nextInt(7)) {
			case 0 -> List.of("SET", key(), word());
			case 1 -> List.of("SET", key(), word(), "NX");
			case 2 -> List.of("SET", key(), word(), "KEEPTTL");
			case 3 -> List.of("SET", key(), word(), "px", oneOf(TTLS), "nx");
			case 4 -> List.of("SET", key(), word(), "KEEPTTL", "PX", "5");
			case 5 -> List.of("SET", key(), word(), oneOf(List.of("XX", "NX")), "xx");
			default -> List.of("SET", key(), word(), "PX", oneOf(TTLS));
		};
	}

	private Drawn script(Map<String, StoredKey> keys) {
		List<String> names = List.copyOf(this.scripts.keySet());
		// Prefer the first five scripts, which acquire the locks that the others need.
		String name = chance(40) ? names.get(this.random.nextInt(5)) : oneOf(names);
		int lock = this.random.nextInt(3);
		int several = 1 + this.random.nextInt(3);
		String holder = text(keys, lockKey(lock), "i/r1").split("\t")[0];
		String fence = text(keys, lockKey(lock) + ":fence", "");
		String[] granted = fence.split(" ", 6);
		String owner = chance(50) ? owner() : holder;
		String request = (chance(50) || granted.length < 6) ? request() : granted[3];
		String ttl = oneOf(List.of("0", "5", "50", "1000", "30000"));
		String lease = oneOf(List.of("3", "50", "1000", "30000"));
		String block = oneOf(List.of("1", "16", "1000000"));
		String claim = oneOf(List.of("0", "200", "2000"));
		String inbox = oneOf(List.of("inbox:0", "inbox:1", "inbox:9"));
		String askedAt = oneOf(List.of("", "-", "12345"));
		String keep = oneOf(List.of("0", "0", "0", "100"));
		String memory = oneOf(List.of("0", "1000"));
		String counted = maybe("1", "0");
		String cancel = "cancel:" + request;
		boolean quarantine = chance(10);
		List<String> used = new ArrayList<>();
		List<String> told = new ArrayList<>();
		switch (name) {
			case "TAKE" -> {
				for (int one = 0; one < several; one++) {
					addKeysOf(used, one, "");
					told.addAll(List.of(owner() + '\t' + block + '\t', lease));
				}
				addKeys(used, several, ":fence");
			}
			case "FREE" -> {
				// The true values, or slightly changed ones.
				for (int one = this.random.nextInt(2); one <= several; one++) {
					addKeysOf(used, one, "");
					told.add(text(keys, lockKey(one), "i/r1") + maybe("", maybe("", "0")));
				}
			}
			case "ACQUIRE", "ACQUIRE_ALL", "ACQUIRE_SHARED", "YIELD" -> {
				if (name.equals("ACQUIRE_ALL")) {
					addKeys(used, several, "", ":fence", ":queue", ":waiters");
				}
				else {
					addKeysOf(used, lock, "", ":fence", ":queue", ":waiters");
				}
				if (name.equals("ACQUIRE_SHARED")) {
					addKeysOf(used, lock, ":places", ":grants");
					block = "*" + (1 + this.random.nextInt(3));
					ttl = lease;
				}
				used.add(cancel);
				if (name.equals("YIELD")) {
					told.addAll(List.of(owner, request));
					owner = owner();
					request = request();
				}
				told.addAll(List.of(entry(keys, lock, request, claim, block, inbox, owner), ttl, askedAt, counted));
				if (quarantine) {
					used.add("since");
					told.add("500");
				}
			}
			case "RELEASE" -> {
				addLocks(used, lock, several);
				told.addAll(List.of(owner, request, keep, counted));
			}
			case "RELEASE_SHARED" -> {
				addKeysOf(used, lock, "", ":fence", ":queue", ":waiters", ":places", ":grants");
				used.add(cancel);
				told.addAll(List.of(owner, request, keep, counted));
			}
			case "RENEW" -> {
				addKeys(used, several, "", ":fence");
				addOwners(told, several, holder, ttl);
			}
			case "RENEW_SHARED" -> {
				addKeys(used, several, "", ":fence", ":places", ":grants");
				addOwners(told, several, holder, lease);
			}
			case "RAISE" -> {
				addKeys(used, several, "", ":fence");
				String seen = this.tokens.get(0);
				String token = Long.toString(Long.parseLong(seen) + this.random.nextInt(100) - 10);
				told.addAll(List.of(owner, request, request + ".1", token, seen, block));
			}
			case "WITHDRAW" -> {
				addLocks(used, lock, several);
				used.add(cancel);
				told.addAll(List.of(entry(keys, lock, request, claim, block, inbox, owner), memory, keep, counted));
			}
			case "WITHDRAW_SHARED" -> {
				addKeysOf(used, lock, "", ":fence", ":queue", ":waiters", ":places", ":grants");
				used.add(cancel);
				told.addAll(List.of(entry(keys, lock, request, claim, block, inbox, owner), memory, keep, counted));
			}
			case "INSPECT" -> {
				addKeysOf(used, lock, "", ":fence", ":queue", ":places", ":grants");
				told.add(maybe("", owner));
			}
			case "FORCE_RELEASE" -> {
				addKeysOf(used, lock, "", ":fence", ":queue", ":waiters", ":places", ":grants");
				told.addAll(List.of(counted, maybe("", owner), "inbox:0", "the lock", maybe("1", "0")));
			}
			default -> throw new IllegalStateException("How to call " + name + " is not known here");
		}
		told.addAll(clock());
		return new Drawn(name, this.scripts.get(name), used, told);
	}

	/**
	 * Draw the time that a script reads, which is usually the time of this machine, and
	 * sometimes several seconds ahead or behind.
	 */
	private List<String> clock() {
		if (chance(5)) {
			this.skewMicros = maybe("1", "0").equals("1") ? 0 : this.random.nextInt(20_000_000) - 10_000_000;
		}
		long micros = System.currentTimeMillis() * 1000 + this.random.nextInt(1000) + this.skewMicros;
		return List.of(Long.toString(micros / 1_000_000), Long.toString(micros % 1_000_000));
	}

	/**
	 * Add the keys of one or, less often, of several exclusive locks.
	 */
	private void addLocks(List<String> keys, int lock, int several) {
		if (chance(40)) {
			addKeys(keys, several, "", ":fence", ":queue", ":waiters");
		}
		else {
			addKeysOf(keys, lock, "", ":fence", ":queue", ":waiters");
		}
	}

	private void addKeys(List<String> keys, int several, String... suffixes) {
		for (int lock = 0; lock < several; lock++) {
			addKeysOf(keys, lock, suffixes);
		}
	}

	private void addKeysOf(List<String> keys, int lock, String... suffixes) {
		Arrays.stream(suffixes).forEach((suffix) -> keys.add(lockKey(lock) + suffix));
	}

	private void addOwners(List<String> arguments, int several, String holder, String ttl) {
		for (int lock = 0; lock < several; lock++) {
			arguments.addAll(List.of(chance(50) ? owner() : holder, ttl));
		}
	}

	/**
	 * Draw the entry of a request, which may already wait for the lock.
	 */
	private String entry(Map<String, StoredKey> keys, int lock, String request, String claim, String wants,
			String inbox, String owner) {
		StoredKey queue = keys.get(lockKey(lock) + ":queue");
		if (chance(30) && queue != null && queue.value() instanceof SortedSet waiting) {
			return oneOf(waiting.members()).name();
		}
		return String.join(" ", request, claim, wants, inbox, chance(30) ? owner : "i/" + request);
	}

	private static String text(Map<String, StoredKey> keys, String key, String otherwise) {
		StoredKey stored = keys.get(key);
		return (stored != null && stored.value() instanceof Text text) ? text.content() : otherwise;
	}

	private static String lockKey(int lock) {
		return "lock:{" + lock + "}";
	}

	private String owner() {
		return maybe("i", "o") + '/' + request();
	}

	private String request() {
		return "r" + this.random.nextInt(8);
	}

	private String key() {
		return oneOf(chance(90) ? KEYS : LOCK_KEYS);
	}

	private String word() {
		return oneOf(WORDS);
	}

	private String integer() {
		return oneOf(INTEGERS);
	}

	private String score() {
		return oneOf(SCORES);
	}

	private String bound() {
		return maybe("(", "") + score();
	}

	private String maybe(String one, String other) {
		return this.random.nextBoolean() ? one : other;
	}

	private boolean chance(int percent) {
		return this.random.nextInt(100) < percent;
	}

	private <T> T oneOf(List<T> choice) {
		return choice.get(this.random.nextInt(choice.size()));
	}

	/**
	 * A command or a script to run.
	 *
	 * @param kind the name under which it is counted
	 * @param script its text; {@code null} for a command
	 * @param keys the keys of a script
	 * @param words its arguments, or all words of a command
	 */
	record Drawn(String kind, @Nullable String script, List<String> keys, List<String> words) {

		List<byte[]> keyBytes() {
			return bytes(this.keys);
		}

		List<byte[]> wordBytes() {
			return bytes(this.words);
		}

		@Override
		public String toString() {
			return "%s %s %s".formatted(this.kind.equals("snippet") ? this.script : this.kind, this.keys, this.words);
		}

		private static List<byte[]> bytes(List<String> texts) {
			return texts.stream().map((text) -> text.getBytes(StandardCharsets.ISO_8859_1)).toList();
		}

	}

}
