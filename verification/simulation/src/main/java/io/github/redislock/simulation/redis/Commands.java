package io.github.redislock.simulation.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import io.github.redislock.simulation.redis.StoredValue.Hash;
import io.github.redislock.simulation.redis.StoredValue.Member;
import io.github.redislock.simulation.redis.StoredValue.SortedSet;
import io.github.redislock.simulation.redis.StoredValue.Text;
import org.jspecify.annotations.Nullable;

/**
 * The commands that the scripts use, with only the options that they use. Other commands
 * of Redis, and other options of these commands, fail with an exception instead of an
 * error reply. Error texts are those of Redis 7.
 * <p>
 * A reply is a {@link Long}, a {@link String} for bytes, a {@link Status}, a {@link List}
 * of replies or {@code null}.
 */
final class Commands {

	private static final String SYNTAX = "ERR syntax error";

	private static final String NOT_A_FLOAT = "ERR value is not a valid float";

	private static final String NOT_A_RANGE = "ERR min or max is not a float";

	private static final Map<String, Command> ALL = Map.ofEntries(
			// Reads
			command("EXISTS", -2, Effect.READS, Keys.ALL, Commands::exists),
			command("GET", 2, Effect.READS, Keys.FIRST, Commands::get),
			command("HGET", 3, Effect.READS, Keys.FIRST, Commands::hget),
			command("MGET", -2, Effect.READS, Keys.ALL, Commands::mget),
			command("PTTL", 2, Effect.READS, Keys.FIRST, Commands::pttl),
			command("TIME", 1, Effect.READS, Keys.NONE, Commands::time),
			command("ZCARD", 2, Effect.READS, Keys.FIRST, Commands::zcard),
			command("ZCOUNT", 4, Effect.READS, Keys.FIRST, Commands::zcount),
			command("ZRANGE", -4, Effect.READS, Keys.FIRST, Commands::zrange),
			command("ZSCORE", 3, Effect.READS, Keys.FIRST, Commands::zscore),
			// Messages
			command("PUBLISH", 3, Effect.READS, Keys.NONE, Commands::publish),
			command("PUBSUB", -2, Effect.READS, Keys.NONE, Commands::pubsub),
			// Writes that need no memory
			command("DEL", -2, Effect.WRITES, Keys.ALL, Commands::del),
			command("HDEL", -3, Effect.WRITES, Keys.FIRST, Commands::hdel),
			command("PERSIST", 2, Effect.WRITES, Keys.FIRST, Commands::persist),
			command("PEXPIRE", -3, Effect.WRITES, Keys.FIRST, Commands::pexpire),
			command("ZPOPMIN", -2, Effect.WRITES, Keys.FIRST, Commands::zpopmin),
			command("ZREM", -3, Effect.WRITES, Keys.FIRST, Commands::zrem),
			// Writes that need memory
			command("HSET", -4, Effect.GROWS, Keys.FIRST, Commands::hset),
			command("SET", -3, Effect.GROWS, Keys.FIRST, Commands::set),
			command("ZADD", -4, Effect.GROWS, Keys.FIRST, Commands::zadd));

	private final KeySpace keys;

	private final Channels channels;

	Commands(KeySpace keys, Channels channels) {
		this.keys = keys;
		this.channels = channels;
	}

	/**
	 * Return the command with the given name, in upper or lower case.
	 * @return {@code null} if the command is not simulated
	 */
	static @Nullable Command of(String name) {
		Command command = ALL.get(name);
		return (command != null) ? command : ALL.get(name.toUpperCase(Locale.ROOT));
	}

	/**
	 * Run a command.
	 * @param words the name and the arguments, of which there must be enough
	 * @throws ErrorReplyException if the server replies with an error
	 */
	@Nullable Object run(Command command, List<String> words) {
		return command.body.run(this, words);
	}

	private Object exists(List<String> words) {
		return keysOf(words).filter((key) -> this.keys.find(key) != null).count();
	}

	private @Nullable Object get(List<String> words) {
		Text found = this.keys.find(words.get(1), Text.class);
		return (found != null) ? found.content() : null;
	}

	private @Nullable Object hget(List<String> words) {
		Hash found = this.keys.find(words.get(1), Hash.class);
		return (found != null) ? found.fields().get(words.get(2)) : null;
	}

	private Object mget(List<String> words) {
		List<@Nullable Object> values = new ArrayList<>();
		for (String key : words.subList(1, words.size())) {
			StoredKey found = this.keys.find(key);
			values.add((found != null && found.value() instanceof Text text) ? text.content() : null);
		}
		return values;
	}

	private Object pttl(List<String> words) {
		StoredKey found = this.keys.find(words.get(1));
		if (found == null) {
			return -2L;
		}
		return found.expires() ? found.expiresAt() - this.keys.millis() : -1L;
	}

	private Object time(List<String> words) {
		long micros = this.keys.micros();
		return List.of(Long.toString(micros / 1_000_000), Long.toString(micros % 1_000_000));
	}

	private Object zcard(List<String> words) {
		return (long) sortedSet(words).members().size();
	}

	private Object zcount(List<String> words) {
		Range range = Range.of(words.get(2), words.get(3));
		return sortedSet(words).members().stream().filter(range::contains).count();
	}

	private Object zrange(List<String> words) {
		boolean byScore = false;
		boolean withScores = false;
		for (String option : words.subList(4, words.size())) {
			String name = option.toUpperCase(Locale.ROOT);
			if (List.of("BYLEX", "REV", "LIMIT").contains(name)) {
				throw notModelled(words);
			}
			if (name.equals("WITHSCORES")) {
				withScores = true;
			}
			else if (name.equals("BYSCORE") && !byScore) {
				byScore = true;
			}
			else {
				throw new ErrorReplyException(SYNTAX);
			}
		}
		List<Member> found = byScore ? byScore(words) : byRank(words);
		List<@Nullable Object> reply = new ArrayList<>();
		for (Member member : found) {
			reply.add(member.name());
			if (withScores) {
				reply.add(Numbers.text(member.score()));
			}
		}
		return reply;
	}

	private List<Member> byScore(List<String> words) {
		Range range = Range.of(words.get(2), words.get(3));
		return sortedSet(words).members().stream().filter(range::contains).toList();
	}

	private List<Member> byRank(List<String> words) {
		long first = Numbers.integer(words.get(2));
		long last = Numbers.integer(words.get(3));
		List<Member> members = sortedSet(words).members();
		int size = members.size();
		first = Math.max(0, (first < 0) ? first + size : first);
		last = Math.min(size - 1L, (last < 0) ? last + size : last);
		return (first > last) ? List.of() : members.subList((int) first, (int) last + 1);
	}

	private @Nullable Object zscore(List<String> words) {
		Double score = sortedSet(words).score(words.get(2));
		return (score != null) ? Numbers.text(score) : null;
	}

	private Object publish(List<String> words) {
		return (long) this.channels.publish(words.get(1), words.get(2));
	}

	private Object pubsub(List<String> words) {
		if (!words.get(1).equalsIgnoreCase("NUMSUB")) {
			throw notModelled(words);
		}
		List<@Nullable Object> reply = new ArrayList<>();
		for (String channel : words.subList(2, words.size())) {
			reply.add(channel);
			reply.add((long) this.channels.subscribers(channel));
		}
		return reply;
	}

	private Object del(List<String> words) {
		return keysOf(words).filter(this.keys::remove).count();
	}

	private Object hdel(List<String> words) {
		Hash hash = hash(words);
		long removed = 0;
		for (String field : words.subList(2, words.size())) {
			if (hash.fields().containsKey(field)) {
				hash = hash.without(field);
				removed++;
			}
		}
		if (removed > 0) {
			keep(words, hash, hash.fields().isEmpty());
		}
		return removed;
	}

	private Object persist(List<String> words) {
		StoredKey found = this.keys.find(words.get(1));
		if (found == null || !found.expires()) {
			return 0L;
		}
		this.keys.put(words.get(1), found.value());
		return 1L;
	}

	private Object pexpire(List<String> words) {
		long millis = Numbers.integer(words.get(2));
		if (words.size() > 3) {
			throw notModelled(words);
		}
		if (millis > Long.MAX_VALUE - this.keys.millis()) {
			throw invalidExpiry(words);
		}
		if (this.keys.find(words.get(1)) == null) {
			return 0L;
		}
		this.keys.expire(words.get(1), this.keys.millis() + millis);
		return 1L;
	}

	private Object zpopmin(List<String> words) {
		if (words.size() > 2) {
			throw notModelled(words);
		}
		SortedSet set = sortedSet(words);
		if (set.members().isEmpty()) {
			return List.of();
		}
		Member first = set.members().get(0);
		SortedSet rest = set.without(first.name());
		keep(words, rest, rest.members().isEmpty());
		return List.of(first.name(), Numbers.text(first.score()));
	}

	private Object zrem(List<String> words) {
		SortedSet set = sortedSet(words);
		long removed = 0;
		for (String member : words.subList(2, words.size())) {
			if (set.score(member) != null) {
				set = set.without(member);
				removed++;
			}
		}
		if (removed > 0) {
			keep(words, set, set.members().isEmpty());
		}
		return removed;
	}

	private Object hset(List<String> words) {
		if (words.size() % 2 != 0) {
			throw wrongNumber(words.get(0));
		}
		Hash hash = hash(words);
		long added = 0;
		for (int index = 2; index < words.size(); index += 2) {
			added += hash.fields().containsKey(words.get(index)) ? 0 : 1;
			hash = hash.with(words.get(index), words.get(index + 1));
		}
		keep(words, hash, false);
		return added;
	}

	private @Nullable Object set(List<String> words) {
		boolean onlyIfAbsent = false;
		boolean onlyIfPresent = false;
		boolean keepTtl = false;
		String ttl = null;
		for (int index = 3; index < words.size(); index++) {
			String option = words.get(index).toUpperCase(Locale.ROOT);
			if (option.equals("NX") && !onlyIfPresent) {
				onlyIfAbsent = true;
			}
			else if (option.equals("XX") && !onlyIfAbsent) {
				onlyIfPresent = true;
			}
			else if (option.equals("KEEPTTL") && ttl == null) {
				keepTtl = true;
			}
			else if (option.equals("PX") && !keepTtl && index + 1 < words.size()) {
				ttl = words.get(++index);
			}
			else if (List.of("GET", "EX", "EXAT", "PXAT").contains(option)) {
				throw notModelled(words);
			}
			else {
				throw new ErrorReplyException(SYNTAX);
			}
		}
		long expiresAt = (ttl != null) ? expiry(words, ttl) : StoredKey.NEVER;
		String key = words.get(1);
		if ((this.keys.find(key) != null) ? onlyIfAbsent : onlyIfPresent) {
			return null;
		}
		Text value = new Text(words.get(2));
		if (keepTtl) {
			this.keys.replace(key, value);
		}
		else {
			this.keys.put(key, value);
			if (ttl != null) {
				this.keys.expire(key, expiresAt);
			}
		}
		return Status.OK;
	}

	private long expiry(List<String> words, String ttl) {
		long millis = Numbers.integer(ttl);
		if (millis <= 0 || millis > Long.MAX_VALUE - this.keys.millis()) {
			throw invalidExpiry(words);
		}
		return this.keys.millis() + millis;
	}

	private Object zadd(List<String> words) {
		boolean onlyNew = false;
		int first = 2;
		for (; first < words.size(); first++) {
			String option = words.get(first).toUpperCase(Locale.ROOT);
			if (List.of("XX", "GT", "LT", "CH", "INCR").contains(option)) {
				throw notModelled(words);
			}
			if (!option.equals("NX")) {
				break;
			}
			onlyNew = true;
		}
		if (first == words.size() || (words.size() - first) % 2 != 0) {
			throw new ErrorReplyException(SYNTAX);
		}
		for (int index = first; index < words.size(); index += 2) {
			Numbers.decimal(words.get(index), NOT_A_FLOAT);
		}
		SortedSet set = sortedSet(words);
		long added = 0;
		for (int index = first; index < words.size(); index += 2) {
			String member = words.get(index + 1);
			boolean known = set.score(member) != null;
			added += known ? 0 : 1;
			if (!known || !onlyNew) {
				set = set.with(member, Numbers.decimal(words.get(index), NOT_A_FLOAT));
			}
		}
		keep(words, set, false);
		return added;
	}

	private Hash hash(List<String> words) {
		Hash found = this.keys.find(words.get(1), Hash.class);
		return (found != null) ? found : Hash.EMPTY;
	}

	private SortedSet sortedSet(List<String> words) {
		SortedSet found = this.keys.find(words.get(1), SortedSet.class);
		return (found != null) ? found : SortedSet.EMPTY;
	}

	private void keep(List<String> words, StoredValue value, boolean empty) {
		if (empty) {
			this.keys.remove(words.get(1));
		}
		else {
			this.keys.replace(words.get(1), value);
		}
	}

	private static Stream<String> keysOf(List<String> words) {
		return words.stream().skip(1);
	}

	static ErrorReplyException wrongNumber(String command) {
		return new ErrorReplyException(
				"ERR wrong number of arguments for '%s' command".formatted(command.toLowerCase(Locale.ROOT)));
	}

	private static ErrorReplyException invalidExpiry(List<String> words) {
		return new ErrorReplyException(
				"ERR invalid expire time in '%s' command".formatted(words.get(0).toLowerCase(Locale.ROOT)));
	}

	private static UnsupportedOperationException notModelled(List<String> words) {
		return new UnsupportedOperationException("The simulated Redis does not support this form: " + words);
	}

	private static Map.Entry<String, Command> command(String name, int arity, Effect effect, Keys keys, Body body) {
		return Map.entry(name, new Command(arity, effect, keys, body));
	}

	/**
	 * A command.
	 *
	 * @param arity the number of words including the name, or the minimum as a negative
	 * number
	 * @param effect determines when the command is refused
	 * @param keys which words are keys
	 * @param body the implementation
	 */
	record Command(int arity, Effect effect, Keys keys, Body body) {

		boolean takes(int words) {
			return (this.arity < 0) ? words >= -this.arity : words == this.arity;
		}

		List<String> keysIn(List<String> words) {
			return switch (this.keys) {
				case NONE -> List.of();
				case FIRST -> words.subList(1, 2);
				case ALL -> words.subList(1, words.size());
			};
		}

	}

	/**
	 * How a command affects the data, according to the server's command table. A
	 * particular call may write less.
	 */
	enum Effect {

		READS,

		/** Refused by a replica. */
		WRITES,

		/** Refused by a replica, and by a server whose memory is full. */
		GROWS

	}

	private enum Keys {

		NONE, FIRST, ALL

	}

	/**
	 * A status reply.
	 *
	 * @param text the text of the reply
	 */
	record Status(String text) {

		static final Status OK = new Status("OK");

	}

	@FunctionalInterface
	private interface Body {

		@Nullable Object run(Commands server, List<String> words);

	}

	private record Range(double min, boolean aboveMin, double max, boolean belowMax) {

		static Range of(String min, String max) {
			return new Range(bound(min), min.startsWith("("), bound(max), max.startsWith("("));
		}

		boolean contains(Member member) {
			double score = member.score();
			return (this.aboveMin ? score > this.min : score >= this.min)
					&& (this.belowMax ? score < this.max : score <= this.max);
		}

		private static double bound(String text) {
			return Numbers.decimal(text.startsWith("(") ? text.substring(1) : text, NOT_A_RANGE);
		}

	}

}
