package io.github.redislock.simulation.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.redislock.simulation.redis.RandomCommands.Drawn;
import io.github.redislock.simulation.redis.StoredValue.Hash;
import io.github.redislock.simulation.redis.StoredValue.Member;
import io.github.redislock.simulation.redis.StoredValue.SortedSet;
import io.github.redislock.simulation.redis.StoredValue.Text;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.RedisProgram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Compares the simulated Redis with a real one. Both run the same commands, and after
 * each command the replies, the messages and all keys must be the same.
 * <p>
 * The simulated Redis uses the time of the real one, which is read before and after each
 * command. If the two times differ, the results have to match at one of the milliseconds
 * in between. If they match at none, the command counts as undecided, and the simulated
 * Redis takes over the keys of the real one. Scripts get the time as arguments.
 * <p>
 * {@code -Dsimulation.differences=1000000} compares that many commands,
 * {@code -Dsimulation.seed=7} draws them from that seed.
 */
@NeedsLua
@NeedsRedisServer
class DifferencesTests {

	private static final int COMMANDS = Integer.getInteger("simulation.differences", 5000);

	private static final long SEED = Long.getLong("simulation.seed", ThreadLocalRandom.current().nextInt(1_000_000));

	/** The greatest number of milliseconds that are tried after the first one. */
	private static final int LONGEST_DOUBT = 20;

	/** A script that returns all keys, between two reads of the clock. */
	private static final String DUMP = """
			local dump = {redis.call('TIME')}
			for _, key in ipairs(redis.call('KEYS', '*')) do
			  local type = redis.call('TYPE', key).ok
			  local value
			  if type == 'string' then value = redis.call('GET', key)
			  elseif type == 'hash' then value = redis.call('HGETALL', key)
			  elseif type == 'zset' then value = redis.call('ZRANGE', key, '0', '-1', 'WITHSCORES')
			  end
			  dump[#dump + 1] = {key, type, redis.call('%s', key), value}
			end
			dump[#dump + 1] = redis.call('TIME')
			return dump
			""";

	/** Redis 6.2 can only report the remaining time of a key, not when it expires. */
	private static final boolean OLD = RedisProgram.TESTED.version() < 700;

	/** Redis 7.2 and later versions write fractions with fewer digits. */
	private static final boolean NEW = RedisProgram.TESTED.version() >= 702;

	private static final List<String> CODES = List.of("WRONGTYPE", "OOM", "READONLY");

	private static final Pattern FRACTION = Pattern.compile("-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?");

	private static final String NOT_DECIDED = "(not decided)";

	/** Redis' reply to a ping of a connection with subscriptions. */
	private static final String PONG = "[\"pong\", \"\"]";

	private final Map<String, Integer> counts = new TreeMap<>();

	private final Map<String, String> digests = new HashMap<>();

	private final List<String> published = new ArrayList<>();

	private final RandomCommands commands = new RandomCommands(SEED);

	private long micros;

	private boolean readOnly;

	/** Whether to compare error texts, which differ in Redis 6.2 and Valkey. */
	private boolean sameWords;

	@Test
	void simulatedRedisBehavesLikeARealOne() throws IOException {
		try (RedisProcess server = RedisProcess.start("maxmemory-policy noeviction");
				RealRedis real = new RealRedis(server.port());
				RealRedis inbox = new RealRedis(server.port());
				LuaScripts lua = new LuaScripts()) {
			SimulatedRedis simulated = new SimulatedRedis(lua, () -> this.micros, channels());
			List<String> scripts = new ArrayList<>(this.commands.scripts());
			scripts.add(dumpScript());
			for (String script : scripts) {
				byte[] digest = (byte[]) real.ask("SCRIPT", "LOAD", script);
				this.digests.put(script, new String(digest, StandardCharsets.UTF_8));
			}
			// Redis 8 expires a key one millisecond earlier in the background than on
			// access.
			real.ask("DEBUG", "SET-ACTIVE-EXPIRE", "0");
			this.sameWords = !OLD && !text(real.ask("INFO", "server")).contains("valkey");
			for (String channel : RandomCommands.HEARD) {
				inbox.ask("SUBSCRIBE", channel);
			}

			for (int step = 1; step <= COMMANDS; step++) {
				drawState(step, real, simulated);
				compare(step, real, inbox, simulated);
			}
		}
		System.out.printf("[differences] %s, seed %d: compared %,d commands, no difference: %s%n",
				RedisProgram.TESTED.path(), SEED, COMMANDS - this.counts.getOrDefault(NOT_DECIDED, 0), this.counts);
	}

	/**
	 * Occasionally fill the memory of the servers, turn them into replicas, or delete
	 * their data.
	 */
	private void drawState(int step, RealRedis real, SimulatedRedis simulated) throws IOException {
		boolean full = step % 1000 > 950;
		// In scripts, a replica of 6.2 sees keys that have expired.
		boolean replica = !OLD && step % 5000 > 4950;
		if (step % 1000 == 951 || step % 1000 == 0) {
			real.ask("CONFIG", "SET", "maxmemory", full ? "1" : "0");
			simulated.memoryFull(full);
		}
		if (replica != this.readOnly) {
			real.ask("REPLICAOF", replica ? "127.0.0.1" : "NO", replica ? "1" : "ONE");
			simulated.readOnly(replica);
			this.readOnly = replica;
		}
		if (step % 300 == 0 && !replica) {
			real.ask("FLUSHALL");
			simulated.restore(Map.of());
		}
	}

	private void compare(int step, RealRedis real, RealRedis inbox, SimulatedRedis simulated) throws IOException {
		SortedMap<String, StoredKey> before = simulated.keys();
		Drawn drawn = this.commands.next(before);

		real.send(List.of(bytes("TIME")));
		real.send(request(drawn));
		real.send(List.of(bytes("TIME")));
		long first = millis(real.reply());
		Object reply = real.reply();
		long last = millis(real.reply());
		Real expected = new Real(readable(reply), messages(inbox), dump(real));
		this.commands.replied(reply);

		String difference = "";
		for (long now = first; now <= Math.min(last, first + LONGEST_DOUBT); now++) {
			simulated.restore(before);
			this.micros = now * 1000;
			difference = difference(simulated, drawn, expected);
			if (difference.isEmpty()) {
				break;
			}
		}
		if (first != last && !difference.isEmpty()) {
			count(NOT_DECIDED);
			simulated.restore(expected.dump().keys());
			return;
		}
		assertThat(difference)
			.as("Command %d with -Dsimulation.seed=%d, at %d: %s on %s", step, SEED, first, drawn, before)
			.isEmpty();
		count(drawn.kind());
		expected.messages().forEach((message) -> count("(messages)"));
		if (reply instanceof ErrorReplyException error) {
			count("-" + code(error));
		}
	}

	/**
	 * Return how the simulated server differs, or an empty text if it does not.
	 */
	private String difference(SimulatedRedis simulated, Drawn drawn, Real expected) {
		this.published.clear();
		String reply = readable(run(simulated, drawn));
		if (!reply.equals(expected.reply())) {
			return "replies %s, not %s".formatted(reply, expected.reply());
		}
		if (!this.published.equals(expected.messages())) {
			return "publishes %s, not %s".formatted(this.published, expected.messages());
		}
		return expected.dump().difference(simulated.keys());
	}

	/**
	 * Return the messages since the last call.
	 */
	private List<String> messages(RealRedis inbox) throws IOException {
		List<String> messages = new ArrayList<>();
		inbox.send(List.of(bytes("PING")));
		String next = readable(inbox.reply());
		while (!next.equals(PONG)) {
			messages.add(next);
			next = readable(inbox.reply());
		}
		return messages;
	}

	private Dump dump(RealRedis real) throws IOException {
		Dump dump;
		do {
			dump = Dump.of(real.ask("EVALSHA", this.digests.get(dumpScript()), "0"));
		}
		while (OLD && dump.first() != dump.last());
		return dump;
	}

	private @Nullable Object run(SimulatedRedis simulated, Drawn drawn) {
		try {
			return (drawn.script() != null) ? simulated.eval(drawn.script(), drawn.keyBytes(), drawn.wordBytes())
					: simulated.call(drawn.wordBytes());
		}
		catch (ErrorReplyException ex) {
			return ex;
		}
	}

	private List<byte[]> request(Drawn drawn) {
		if (drawn.script() == null) {
			return drawn.wordBytes();
		}
		List<byte[]> words = new ArrayList<>(List.of(bytes("EVALSHA"), bytes(this.digests.get(drawn.script())),
				bytes(Integer.toString(drawn.keys().size()))));
		words.addAll(drawn.keyBytes());
		words.addAll(drawn.wordBytes());
		return words;
	}

	private Channels channels() {
		return new Channels() {

			@Override
			public int publish(String channel, String message) {
				if (subscribers(channel) == 0) {
					return 0;
				}
				DifferencesTests.this.published
					.add("[\"message\", %s, %s]".formatted(quoted(channel), quoted(message)));
				return 1;
			}

			@Override
			public int subscribers(String channel) {
				return RandomCommands.HEARD.contains(channel) ? 1 : 0;
			}

		};
	}

	private void count(String kind) {
		this.counts.merge(kind, 1, Integer::sum);
	}

	private static String dumpScript() {
		return DUMP.formatted(OLD ? "PTTL" : "PEXPIRETIME");
	}

	private static long millis(@Nullable Object time) {
		List<?> parts = (List<?>) time;
		return Long.parseLong(text(parts.get(0))) * 1000 + Long.parseLong(text(parts.get(1))) / 1000;
	}

	private static String text(@Nullable Object bytes) {
		return new String((byte[]) bytes, StandardCharsets.ISO_8859_1);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.ISO_8859_1);
	}

	/**
	 * Return a reply in the form that is compared and shown.
	 */
	private String readable(@Nullable Object reply) {
		if (reply instanceof byte[] bytes) {
			return quoted(text(bytes));
		}
		if (reply instanceof List<?> items) {
			return items.stream().map(this::readable).collect(Collectors.joining(", ", "[", "]"));
		}
		if (reply instanceof ErrorReplyException error) {
			return "-" + (this.sameWords ? error.text() : code(error));
		}
		return (reply instanceof String status) ? "+" + status : String.valueOf(reply);
	}

	/**
	 * Return the code of an error, wherever the server puts it.
	 */
	private static String code(ErrorReplyException error) {
		return CODES.stream().filter(error.text()::contains).findFirst().orElse("ERR");
	}

	private static String quoted(String text) {
		boolean fraction = NEW && FRACTION.matcher(text).matches()
				&& (text.length() > 16 || text.contains(".") || text.contains("e"));
		String shown = fraction ? Double.toString(Double.parseDouble(text)) : text;
		return '"' + shown.replace("\0", "\\0") + '"';
	}

	/**
	 * The reply, the messages and the data of a real server.
	 */
	private record Real(String reply, List<String> messages, Dump dump) {
	}

	/**
	 * The keys of a real server, and the milliseconds between which they were read.
	 */
	private record Dump(SortedMap<String, StoredKey> keys, long first, long last) {

		static Dump of(@Nullable Object reply) {
			List<?> parts = (List<?>) reply;
			long first = millis(parts.get(0));
			long last = millis(parts.get(parts.size() - 1));
			SortedMap<String, StoredKey> keys = new TreeMap<>();
			for (Object part : parts.subList(1, parts.size() - 1)) {
				List<?> entry = (List<?>) part;
				long expiry = (Long) entry.get(2);
				long expiresAt = (expiry < 0) ? StoredKey.NEVER : OLD ? expiry + first : expiry;
				keys.put(text(entry.get(0)), new StoredKey(value(text(entry.get(1)), entry.get(3)), expiresAt));
			}
			return new Dump(keys, first, last);
		}

		/**
		 * Return how a simulated server differs, or an empty text if it does not.
		 */
		String difference(Map<String, StoredKey> simulated) {
			SortedMap<String, StoredKey> other = unexpired(simulated);
			SortedMap<String, StoredKey> seen = unexpired(this.keys);
			if (!other.keySet().equals(seen.keySet())) {
				return "has the keys %s, not %s".formatted(other.keySet(), seen.keySet());
			}
			for (String key : other.keySet()) {
				StoredKey expected = seen.get(key);
				StoredKey found = other.get(key);
				if (!readable(found.value()).equals(readable(expected.value()))) {
					return "keeps %s under '%s', not %s".formatted(found.value(), key, expected.value());
				}
				// Lua cannot represent all integers from 2^53 on.
				double doubt = (expected.expiresAt() < 1L << 53) ? 0 : 64;
				if (Math.abs((double) found.expiresAt() - expected.expiresAt()) > doubt) {
					return "lets '%s' expire at %d, not %d".formatted(key, found.expiresAt(), expected.expiresAt());
				}
			}
			return "";
		}

		/**
		 * Return the keys that had not expired at the end of the dump.
		 */
		private SortedMap<String, StoredKey> unexpired(Map<String, StoredKey> some) {
			SortedMap<String, StoredKey> rest = new TreeMap<>(some);
			// Redis 6.2 reports a remaining time of at least 0 ms, even for expired keys.
			rest.values().removeIf((stored) -> stored.expiresAt() < this.last + (OLD ? 1 : 0));
			return rest;
		}

		private static String readable(StoredValue value) {
			return (value instanceof Text text) ? quoted(text.content()) : value.toString();
		}

		private static StoredValue value(String type, @Nullable Object content) {
			if (type.equals("string")) {
				return new Text(text(content));
			}
			List<String> items = ((List<?>) content).stream().map(DifferencesTests::text).toList();
			if (type.equals("hash")) {
				SortedMap<String, String> fields = new TreeMap<>();
				for (int index = 0; index < items.size(); index += 2) {
					fields.put(items.get(index), items.get(index + 1));
				}
				return new Hash(fields);
			}
			List<Member> members = new ArrayList<>();
			for (int index = 0; index < items.size(); index += 2) {
				members.add(new Member(items.get(index), Numbers.decimal(items.get(index + 1), "no score")));
			}
			return new SortedSet(members);
		}

	}

}
