package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.RedisErrors;
import io.github.redislock.internal.client.Script;
import io.github.redislock.internal.client.Script.Reply;
import io.github.redislock.testing.TestRedis;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Runs the scripts for one lock of the shared Redis, and inspects its keys.
 */
final class LuaScripts {

	static final String LOCK = "distributed_lock:order:42";

	static final String FENCE = "{distributed_lock:order:42}:fence";

	static final String QUEUE = "{distributed_lock:order:42}:queue";

	static final String WAITERS = "{distributed_lock:order:42}:waiters";

	static final String PLACES = "{distributed_lock:order:42}:places";

	static final String GRANTS = "{distributed_lock:order:42}:grants";

	static final String SINCE = "{distributed_lock:}:since";

	static final String CANCEL = "{distributed_lock:order:42}:cancel:";

	static final String NEWS = "distributed_lock:inbox:all";

	static final String INBOX = "distributed_lock:inbox:here";

	/** No instance subscribes to it. */
	static final String GONE = "distributed_lock:inbox:gone";

	/** What the scripts of {@link #onlyUsualCases()} fail with. */
	static final String UNUSUAL = "unusual case";

	private static final String COUNTED = "1";

	/** A lock that needs no fence. */
	private static final Pattern VALUE = Pattern.compile("(.*/([^/\t]*))\t(\\d+)\t(\\d+)(?:\t(\\S+))?");

	private final UnaryOperator<String> change;

	/** The entries of all requests. */
	private final Map<String, String> asked = new HashMap<>();

	final StringRedisTemplate redis = new StringRedisTemplate(TestRedis.shared().connectionFactory());

	LuaScripts() {
		this(UnaryOperator.identity());
	}

	private LuaScripts(UnaryOperator<String> change) {
		this.change = change;
	}

	/**
	 * Return scripts that handle the usual cases like all others.
	 */
	static LuaScripts withoutUsualCases() {
		return new LuaScripts((text) -> text.replace("if value and string.sub(value, 1, #owner) == owner", "if false")
			.replace("#asked_at > 1 and remembered and ", "false and "));
	}

	/**
	 * Return scripts that fail in all but the usual cases.
	 */
	static LuaScripts onlyUsualCases() {
		return new LuaScripts((text) -> text.substring(0, text.indexOf(LuaScriptContract.library("fence")))
				+ "return {err = '" + UNUSUAL + "'}");
	}

	/**
	 * Return scripts that may not publish.
	 */
	static LuaScripts withoutPublishing() {
		return new LuaScripts(LuaScripts::withoutPublishing);
	}

	/**
	 * Return a script whose messages Redis refuses.
	 */
	static String withoutPublishing(String script) {
		return script.replace("'PUBLISH'", "'REFUSED'");
	}

	/**
	 * Take the lock, with 33 fencing tokens for a minute.
	 * @return the first token, or what else the script returns
	 */
	Object take(String owner) {
		return list(LockScript.TAKE, List.of(LOCK, FENCE), owner + "\t33\t", 60_000).get(0);
	}

	/**
	 * Take the lock and return the fencing token.
	 */
	long taken(String owner) {
		Object token = take(owner);
		assertThat(token).isInstanceOf(Long.class).isNotEqualTo(0L);
		return (Long) token;
	}

	/**
	 * Free the lock if its key has this value.
	 */
	long free(String value) {
		return (Long) list(LockScript.FREE, List.of(LOCK), value).get(0);
	}

	List<Object> acquire(String owner, String request) {
		return acquire(new Asker(owner, request));
	}

	List<Object> acquire(Asker asker) {
		return named(list(changed(LockScript.ACQUIRE), keys(keys(asker.request()), asker), arguments(asker)), 0);
	}

	/**
	 * Acquire the lock and return the fencing token.
	 */
	long granted(String owner, String request) {
		List<?> reply = acquire(owner, request);
		assertThat(reply).hasSize(2).first().isEqualTo(1L);
		return (Long) reply.get(1);
	}

	long release(String owner, String request) {
		return release(owner, request, 0, COUNTED);
	}

	long releaseInACluster(String owner, String request) {
		return release(owner, request, 0, "0");
	}

	long releaseAfter(long keep, String owner, String request) {
		return release(owner, request, keep, COUNTED);
	}

	private long release(String owner, String request, long keep, String counted) {
		return (Long) list(changed(LockScript.RELEASE), List.of(LOCK, FENCE, QUEUE, WAITERS), owner, request, keep,
				counted)
			.get(0);
	}

	List<Object> yield(String owner, String request, Asker next) {
		return named(list(changed(LockScript.YIELD), keys(keys(next.request()), next),
				Stream.concat(Stream.of(owner, request), Stream.of(arguments(next))).toArray()), 1);
	}

	long renew(String owner, long timeToLive) {
		return (Long) list(LockScript.RENEW, List.of(LOCK, FENCE), owner, timeToLive).get(0);
	}

	long withdraw(String owner, String request) {
		return withdrawAfter(0, owner, request);
	}

	long withdrawAfter(long keep, String owner, String request) {
		return (Long) run(LockScript.WITHDRAW, keys(request), entry(owner, request), 5_000, keep, COUNTED);
	}

	long withdrawArrived(String owner, String request) {
		return (Long) run(LockScript.WITHDRAW, keys(request), entry(owner, request), 0, 0, COUNTED);
	}

	List<Object> inspect() {
		return inspect("");
	}

	List<Object> inspect(String owner) {
		return list(LockScript.INSPECT, List.of(LOCK, FENCE, QUEUE, PLACES, GRANTS), owner);
	}

	long forceRelease() {
		return forceRelease("");
	}

	long forceRelease(String owner) {
		return (Long) list(LockScript.FORCE_RELEASE, List.of(LOCK, FENCE, QUEUE, WAITERS, PLACES, GRANTS), COUNTED,
				owner, NEWS, "order:42", 0)
			.get(0);
	}

	/**
	 * Acquire a place among other sharers.
	 */
	List<Object> share(Asker asker, int permits) {
		return list(LockScript.ACQUIRE_SHARED, keys(sharedKeys(asker.request()), asker),
				arguments(asker.sharing(permits)));
	}

	/**
	 * Acquire a place and return the fencing token.
	 */
	long shared(String owner, String request, int permits) {
		List<?> reply = share(new Asker(owner, request), permits);
		assertThat(reply).hasSize(2).first().isEqualTo(1L);
		return (Long) reply.get(1);
	}

	long releaseShared(String owner, String request) {
		return (Long) list(LockScript.RELEASE_SHARED, sharedKeys(request), owner, request, 0, COUNTED).get(0);
	}

	long withdrawShared(String owner, String request) {
		return (Long) run(LockScript.WITHDRAW_SHARED, sharedKeys(request), entry(owner, request), 5_000, 0, COUNTED);
	}

	long renewShared(String owner, long timeToLive) {
		return (Long) list(LockScript.RENEW_SHARED, List.of(LOCK, FENCE, PLACES, GRANTS), owner, timeToLive).get(0);
	}

	/**
	 * Return the owners of all places, in the order in which their leases end.
	 */
	List<String> places() {
		List<String> places = List.copyOf(Objects.requireNonNull(this.redis.opsForZSet().range(PLACES, 0, -1)));
		assertThat(this.redis.<String, String>opsForHash().keys(GRANTS)).as("same as places")
			.containsExactlyInAnyOrderElementsOf(places);
		return places;
	}

	/**
	 * Let one place expire.
	 */
	void expirePlace(String owner) {
		this.redis.opsForZSet().add(PLACES, owner, 1);
	}

	/**
	 * Let the lock expire.
	 */
	void expire() {
		this.redis.delete(LOCK);
	}

	@Nullable String get(String key) {
		return this.redis.opsForValue().get(key);
	}

	/**
	 * Return the owner token of the holder.
	 */
	@Nullable String holder() {
		String value = get(LOCK);
		return (value != null) ? VALUE.matcher(value).replaceFirst("$1") : null;
	}

	/**
	 * Return the fencing token of the last grant.
	 */
	long token() {
		return Long.parseLong(grant().split(" ")[0]);
	}

	/**
	 * Return what the lock, or else its fence, stores about the last grant: token, block,
	 * request, previous request and owner.
	 */
	String grant() {
		Matcher value = VALUE.matcher(Objects.requireNonNullElse(get(LOCK), ""));
		return value.matches()
				? String.join(" ", value.group(4), value.group(3), value.group(2),
						Objects.requireNonNullElse(value.group(5), "-"), value.group(1))
				: Objects.requireNonNull(get(FENCE)).replaceFirst("^(\\d+ \\d+) \\d+ ", "$1 ");
	}

	/**
	 * Return how many milliseconds the fence is kept for a queue or a mark, by the
	 * server's clock; 0 or less if it is not.
	 */
	long kept() {
		// The script 'take' waits one millisecond longer: before Redis 7.2 the clock
		// runs during a script, so a later write expires later.
		return Long.parseLong(Objects.requireNonNull(get(FENCE)).split(" ")[2]) + 1 - time();
	}

	private static long time() {
		try (RedisConnection connection = TestRedis.shared().connectionFactory().getConnection()) {
			return Objects.requireNonNull(connection.serverCommands().time());
		}
	}

	/**
	 * Return the remaining milliseconds, -1 without an expiry, or -2 without the key.
	 */
	long timeToLive(String key) {
		try (RedisConnection connection = TestRedis.shared().connectionFactory().getConnection()) {
			return Objects.requireNonNull(connection.keyCommands().pTtl(key.getBytes(StandardCharsets.UTF_8)));
		}
	}

	Set<String> keys() {
		return this.redis.keys("*");
	}

	/**
	 * Return the waiting requests in order.
	 */
	List<String> queue() {
		return entries().stream().map((entry) -> entry.split(" ")[0]).toList();
	}

	/**
	 * Return the entries of the waiting requests in order.
	 */
	List<String> entries() {
		return List.copyOf(Objects.requireNonNull(this.redis.opsForZSet().range(QUEUE, 0, -1)));
	}

	Map<String, String> waiters() {
		return this.redis.<String, String>opsForHash().entries(WAITERS);
	}

	/**
	 * Make all waiters look as if their last request was that long ago.
	 */
	void fallSilent(Duration duration) {
		Silence.of(TestRedis.shared().connectionFactory(), LockTarget.of("order:42"), duration);
	}

	/**
	 * Return all keys, their values, and their lifetimes rounded to steps. No lease of a
	 * test lies at the boundary of a step.
	 */
	List<String> state() {
		return keys().stream()
			.sorted()
			.map((key) -> key + "=" + value(key) + " for " + (timeToLive(key) + 17_321) / 47_777)
			.toList();
	}

	/**
	 * Run something while Redis refuses every command that needs memory.
	 */
	void withFullMemory(Runnable attempt) {
		with("maxmemory", attempt);
	}

	/**
	 * Run something while Redis refuses every write.
	 */
	void withTooFewReplicas(Runnable attempt) {
		with("min-replicas-to-write", attempt);
	}

	private static void with(String setting, Runnable attempt) {
		try (RedisConnection connection = TestRedis.shared().connectionFactory().getConnection()) {
			connection.serverCommands().setConfig(setting, "1");
			try {
				attempt.run();
			}
			finally {
				connection.serverCommands().setConfig(setting, "0");
			}
		}
	}

	static void refused(Runnable attempt, String text) {
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(attempt::run)
			.satisfies((failure) -> assertThat(
					RedisErrors.translate("test", LockTarget.of("order:42"), LOCK, Duration.ofSeconds(1), failure)
						.getMessage())
				.contains(text));
	}

	private Object value(String key) {
		return switch (Objects.requireNonNull(this.redis.type(key))) {
			case ZSET -> Objects.requireNonNull(this.redis.opsForZSet().rangeWithScores(key, 0, -1));
			case HASH -> this.redis.opsForHash().entries(key);
			default -> String.valueOf(get(key));
		};
	}

	/**
	 * Return the arguments of a request, and remember its entry.
	 */
	Object[] arguments(Asker asker) {
		this.asked.put(asker.request(), asker.entry());
		return asker.arguments();
	}

	/**
	 * Return what describes the request in the queue, if it was sent.
	 */
	String entry(String owner, String request) {
		return this.asked.getOrDefault(request, new Asker(owner, request).entry());
	}

	private Script changed(Script script) {
		return Script.of(script.name(), this.change.apply(script.text()), script.reply(), script.priority());
	}

	/**
	 * Return these keys, and one more for a request that respects a quarantine.
	 */
	static List<String> keys(List<String> keys, Asker asker) {
		return Stream.concat(keys.stream(), (asker.quarantine() > 0) ? Stream.of(SINCE) : Stream.empty()).toList();
	}

	private static List<String> keys(String request) {
		return List.of(LOCK, FENCE, QUEUE, WAITERS, CANCEL + request);
	}

	private static List<String> sharedKeys(String request) {
		return List.of(LOCK, FENCE, QUEUE, WAITERS, PLACES, GRANTS, CANCEL + request);
	}

	@SuppressWarnings("unchecked")
	static List<Object> list(Script script, List<String> keys, Object... arguments) {
		return (List<Object>) run(script, keys, arguments);
	}

	/**
	 * Run a script. A single result of a script that may return a list becomes a list.
	 */
	static Object run(Script script, List<String> keys, Object... arguments) {
		String text = (script.reply() != Reply.ONE_OR_LIST) ? script.text() : "local function results()\n"
				+ script.text() + "\nend\nlocal all = results()\nreturn type(all) == 'table' and all or {all}";
		byte[][] all = Stream.concat(keys.stream(), Stream.of(arguments))
			.map((value) -> value.toString().getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
		try (RedisConnection connection = TestRedis.shared().connectionFactory().getConnection()) {
			Object reply = connection.scriptingCommands()
				.eval(text.getBytes(StandardCharsets.UTF_8),
						(script.reply() == Reply.NUMBER) ? ReturnType.INTEGER : ReturnType.MULTI, keys.size(), all);
			return (reply instanceof List<?> fields) ? texts(fields) : Objects.requireNonNull(reply);
		}
	}

	/**
	 * Name the holder and its token in a refusal, which may consist of the value of the
	 * lock.
	 */
	private static List<Object> named(List<Object> reply, int first) {
		if (reply.size() > first + 4) {
			Matcher value = VALUE.matcher(reply.get(first + 1).toString());
			if (value.matches() && value.group(5) != null) {
				assertThat(reply.set(first + 3, Long.valueOf(value.group(4)))).isEqualTo(0L);
				reply.set(first + 1, value.group(1));
			}
		}
		return reply;
	}

	private static List<Object> texts(List<?> fields) {
		List<Object> texts = new ArrayList<>();
		fields.forEach((field) -> texts
			.add((field instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : field));
		return texts;
	}

	/**
	 * A request for a lock: its owner, terms and channel.
	 */
	record Asker(String owner, String request, long timeToLive, String wants, long askedAt, long claim, String inbox,
			boolean counted, long quarantine) {

		/** Long enough for the slowest machine. */
		static final long CLAIM = 30_000;

		/**
		 * Create a request that does not wait.
		 */
		Asker(String owner, String request) {
			this(owner, request, 60_000, "1", 4_711, 0, "", true, 0);
		}

		Asker timeToLive(long millis) {
			return new Asker(this.owner, this.request, millis, this.wants, this.askedAt, this.claim, this.inbox,
					this.counted, this.quarantine);
		}

		Asker tokens(long count) {
			return new Asker(this.owner, this.request, this.timeToLive, Long.toString(count), this.askedAt, this.claim,
					this.inbox, this.counted, this.quarantine);
		}

		Asker sharing(int permits) {
			return new Asker(this.owner, this.request, this.timeToLive, "*" + permits, this.askedAt, this.claim,
					this.inbox, this.counted, this.quarantine);
		}

		Asker askedAt(long time) {
			return new Asker(this.owner, this.request, this.timeToLive, this.wants, time, this.claim, this.inbox,
					this.counted, this.quarantine);
		}

		Asker waitingAt(String channel) {
			return new Asker(this.owner, this.request, this.timeToLive, this.wants, this.askedAt, CLAIM, channel,
					this.counted, this.quarantine);
		}

		/**
		 * Return a request that is notified instead of being handed the lock.
		 */
		Asker toldToAsk() {
			return new Asker(this.owner, this.request, this.timeToLive, this.wants, this.askedAt, 0, this.inbox,
					this.counted, this.quarantine);
		}

		Asker inACluster() {
			return new Asker(this.owner, this.request, this.timeToLive, this.wants, this.askedAt, this.claim,
					this.inbox, false, this.quarantine);
		}

		Asker inQuarantine(long millis) {
			return new Asker(this.owner, this.request, this.timeToLive, this.wants, this.askedAt, this.claim,
					this.inbox, this.counted, millis);
		}

		/**
		 * Return what describes the request in the queue. A request that polls names the
		 * channel, too.
		 */
		String entry() {
			String channel = this.inbox.equals("-") ? INBOX : this.inbox;
			return String.join(" ", this.request, Long.toString(this.claim), this.wants, channel, this.owner);
		}

		Object[] arguments() {
			Object sent = (this.inbox.length() > 1) ? this.askedAt : this.inbox;
			Stream<Object> usual = Stream.of(entry(), this.timeToLive, sent, this.counted ? "1" : "0");
			return Stream.concat(usual, (this.quarantine > 0) ? Stream.of(this.quarantine) : Stream.empty()).toArray();
		}

	}

}
