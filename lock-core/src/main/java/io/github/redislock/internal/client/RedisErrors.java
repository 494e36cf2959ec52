package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.redislock.LockException;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.Futures;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.RedisConnectionFailureException;

/**
 * Decides in one place what an error of Redis or of its client means for a lock.
 * <p>
 * It mostly matches message texts, because each client uses different exception types.
 */
public final class RedisErrors {

	public static final String NO_QUARANTINE_IN_A_CLUSTER = "redis-lock.cold-start-quarantine does not work in a Redis"
			+ " Cluster";

	public static final String NO_ACKS_IN_THIS_CLUSTER = "redis-lock.replication.min-acks works in a Redis Cluster"
			+ " only with a LettuceConnectionFactory";

	/**
	 * The message of a runner that cannot send WAIT on the script's connection.
	 */
	static final String NOT_BEHIND_A_WRAPPER = "redis-lock.replication.min-acks does not work with Jedis if"
			+ " the connection factory is a wrapper or a subclass";

	/**
	 * The messages of Spring Data, Lettuce and Jedis for a failed attempt to connect. The
	 * reason follows in a cause or, with several servers, in a suppressed exception.
	 */
	private static final Pattern UNCONNECTED = Pattern
		.compile("^(Unable to connect|Failed to (connect|create socket)|Cannot (get|connect|obtain|retrieve))\\b");

	/**
	 * The messages of Lettuce and Redis that only a failed attempt to connect can cause.
	 * Lettuce reports a missing handshake handler if it handled the end of the connection
	 * first.
	 */
	private static final Pattern CLOSED_AT_ONCE = Pattern
		.compile("Connection closed prematurely|RedisHandshakeHandler not registered|max number of clients");

	/**
	 * The messages of the JDK and Netty for the end of any connection. They are checked
	 * only for a failed attempt to connect.
	 */
	private static final Pattern ENDED = Pattern
		.compile("Connection reset|Broken pipe|connection abort|ClosedChannelException|SSLEngine closed already"
				+ "|Connection closed while SSL/TLS|not an SSL/TLS record|Received fatal alert");

	/** The exceptions of Lettuce and Jedis for an error reply. */
	private static final Pattern REPLY = Pattern.compile("RedisCommandExecutionException|JedisDataException");

	private static final Pattern COMMAND = Pattern.compile("to run the '([^']+)' command");

	private static final Pattern KEYS = Pattern.compile("\\ba key\\b|\\bthe keys\\b");

	private static final Pattern WRONG_TYPE = Pattern.compile("\\bWRONGTYPE\\b");

	private RedisErrors() {
	}

	/**
	 * Return the exception for the caller.
	 * @param operation the operation that failed
	 * @param key the lock's key
	 * @param timeout how long the request waited for a reply
	 */
	public static LockException translate(String operation, LockTarget target, String key, Duration timeout,
			Throwable failure) {
		if (Futures.unwrap(failure) instanceof LockException said) {
			return said;
		}
		if (messages(failure).anyMatch((message) -> WRONG_TYPE.matcher(message).find())) {
			return conflict(operation, target, key, "or another key of the same lock holds data of another type",
					Futures.unwrap(failure));
		}
		Meaning meaning = meaning(failure, timeout);
		String refused = Reply.NOPERM.matches(failure) ? refused(failure, key) : "";
		String message = "Lock '%s': %s failed: %s%s".formatted(target, operation, meaning.text(), refused);
		return new LockStoreException(target, message, Futures.unwrap(failure), meaning.retryable(),
				meaning.outcomeUnknown());
	}

	/**
	 * Return what an error means, without naming the operation.
	 * @param timeout how long the request waited for a reply
	 */
	public static String describe(Throwable failure, Duration timeout) {
		return meaning(failure, timeout).text();
	}

	/**
	 * Return the exception for the caller if another program uses a lock's key.
	 * @param found says what the key holds; continues the message after the key
	 */
	public static LockKeyConflictException conflict(String operation, LockTarget target, String key, String found,
			@Nullable Throwable cause) {
		return new LockKeyConflictException(target, key,
				("Lock '%s': %s failed: its key '%s' %s, which was left as it is: use another name or"
						+ " redis-lock.key-prefix, or delete that data if it is not needed")
					.formatted(target, operation, key, found),
				cause);
	}

	/**
	 * Return whether a failure shows that Redis cannot run scripts at all.
	 */
	public static boolean isWithoutScripts(Throwable failure) {
		return Reply.NO_SCRIPTS.matches(failure);
	}

	/**
	 * Return whether a failure shows that Redis is a read-only replica.
	 */
	public static boolean isReadOnly(Throwable failure) {
		return Reply.READONLY.matches(failure);
	}

	/**
	 * Return whether a failure shows that Redis does not support {@code WAIT}.
	 */
	public static boolean isWithoutWait(Throwable failure) {
		return Reply.NO_WAIT.matches(failure);
	}

	/**
	 * Return whether a request may have failed because of only some of its keys.
	 */
	public static boolean concernsSomeKeys(Throwable failure) {
		return Stream.of(Reply.NOPERM, Reply.CROSSSLOT, Reply.TRYAGAIN).anyMatch((reply) -> reply.matches(failure));
	}

	/**
	 * Return the result of a script if too few replicas are known to have acknowledged
	 * it.
	 * @return {@code null} for any other failure
	 */
	public static @Nullable List<?> replyWithoutReplicas(Throwable failure) {
		return (Futures.unwrap(failure) instanceof ReplicationFailure replication) ? (List<?>) replication.reply()
				: null;
	}

	/**
	 * Return whether the failure of a request on an open connection means that the
	 * connection broke, and not that a reply took too long.
	 */
	static boolean isBroken(Throwable failure) {
		return failure instanceof RedisConnectionFailureException && !isTimeout(failure);
	}

	static boolean isTimeout(Throwable failure) {
		return chain(failure).anyMatch((cause) -> cause.getClass().getSimpleName().contains("Timeout"));
	}

	/**
	 * Return whether Redis closed a new connection. Lettuce may notice that before it
	 * reads the reply with the reason, such as a wrong password.
	 */
	static boolean isClosedAtOnce(Throwable failure) {
		return messages(failure).anyMatch((message) -> CLOSED_AT_ONCE.matcher(message).find())
				// An exception may have a type, but no message.
				|| (isUnconnected(failure)
						&& chain(failure).anyMatch((cause) -> ENDED.matcher(cause.toString()).find()));
	}

	private static boolean isUnconnected(Throwable failure) {
		return messages(failure).anyMatch((message) -> UNCONNECTED.matcher(message).find());
	}

	static boolean isNoScript(Throwable failure) {
		return messages(failure).anyMatch((message) -> message.contains("NOSCRIPT"));
	}

	private static Meaning meaning(Throwable failure, Duration timeout) {
		if (Futures.unwrap(failure) instanceof ReplicationFailure replication) {
			return unreplicated(replication, timeout);
		}
		if (Futures.unwrap(failure) instanceof NotSentException unsent) {
			return new Meaning(String.valueOf(unsent.getMessage()), true, false);
		}
		Optional<Reply> reply = Arrays.stream(Reply.values())
			.filter((candidate) -> candidate.matches(failure))
			.findFirst();
		if (reply.isPresent()) {
			return new Meaning(reply.get().text, reply.get().retryable, reply.get().outcomeUnknown);
		}
		for (String refusal : List.of(NO_QUARANTINE_IN_A_CLUSTER, NO_ACKS_IN_THIS_CLUSTER, NOT_BEHIND_A_WRAPPER)) {
			if (messages(failure).anyMatch(refusal::equals)) {
				return new Meaning(refusal, false, false);
			}
		}
		if (isClosedAtOnce(failure)) {
			return new Meaning(
					("Redis closed the connection immediately (%s): check spring.data.redis.password and ssl,"
							+ " and maxclients of Redis")
						.formatted(reason(failure)),
					true, false);
		}
		if (isUnconnected(failure)) {
			return new Meaning("cannot connect to Redis (%s): check spring.data.redis.* and whether it is up"
				.formatted(reason(failure)), true, false);
		}
		if (isTimeout(failure)) {
			return new Meaning("Redis did not reply within %s".formatted(Durations.describe(timeout)), true, true);
		}
		boolean replied = chain(failure).anyMatch((cause) -> REPLY.matcher(cause.toString()).find());
		String text = replied ? "Redis replied with an error (%s)" : "the connection to Redis broke (%s)";
		return new Meaning(text.formatted(innermost(failure)), true, true);
	}

	private static Meaning unreplicated(ReplicationFailure failure, Duration timeout) {
		Throwable cause = failure.getCause();
		if (cause == null) {
			return new Meaning(String.valueOf(failure.getMessage()), true, true);
		}
		Meaning why = meaning(cause, timeout);
		return new Meaning(why.text(), why.retryable(), true);
	}

	/**
	 * Return the missing permission, as far as Redis reports it. Redis does not name the
	 * key, and before 7.2 not the command of a script.
	 */
	private static String refused(Throwable failure, String key) {
		Optional<String> command = messages(failure).map(COMMAND::matcher)
			.filter(Matcher::find)
			.map((matcher) -> matcher.group(1))
			.findFirst();
		if (command.isPresent()) {
			return " (command '%s')".formatted(command.get());
		}
		boolean ofKeys = messages(failure).anyMatch((message) -> KEYS.matcher(message).find());
		return ofKeys ? " (key '%s', or another key of the same lock)".formatted(key) : " (see ACL LOG)";
	}

	/**
	 * Return the innermost message, which is usually the client's own.
	 */
	public static String innermost(Throwable failure) {
		return messages(failure).reduce((outer, inner) -> inner).orElseGet(() -> Futures.unwrap(failure).toString());
	}

	/**
	 * Return why an attempt to connect failed: the outermost message that says more than
	 * that.
	 */
	private static String reason(Throwable failure) {
		return Stream.<Throwable>iterate(Futures.unwrap(failure), (cause) -> cause != null, (cause) -> {
			Throwable[] others = cause.getSuppressed();
			return (cause.getCause() == null && others.length > 0) ? others[0] : cause.getCause();
		})
			.filter((cause) -> cause.getMessage() != null && !UNCONNECTED.matcher(cause.getMessage()).find())
			.map((cause) -> cause.getMessage().contains(" ") ? cause.getMessage().strip() : cause.toString())
			.findFirst()
			.orElseGet(() -> NestedExceptionUtils.getMostSpecificCause(failure).toString());
	}

	private static Stream<String> messages(Throwable failure) {
		return chain(failure).map(Throwable::getMessage).filter((message) -> message != null);
	}

	private static Stream<Throwable> chain(Throwable failure) {
		return Stream.iterate(failure, (cause) -> cause != null, Throwable::getCause);
	}

	/**
	 * An error reply from Redis, or a refusal of its client. The request was not carried
	 * out, unless the outcome is unknown.
	 */
	private enum Reply {

		LOADING(true, "Redis is loading its data after a restart"),

		BUSY(true, "Redis is busy with another script"),

		TRYAGAIN(true, "Redis Cluster is moving the key to another node"),

		/**
		 * A redirection that the client did not follow, for example because there were
		 * too many.
		 */
		MOVED("^(MOVED|ASK) \\d+ ", true, TRYAGAIN.text),

		/**
		 * A script has begun, and may have done part of its work. The text differs
		 * between versions of Redis.
		 */
		SLOT_GONE("(?i)\\battempted to access a (non local key|slot not served)|\\bwhile the cluster is down", true,
				true, "Redis Cluster is moving the key while a script uses it, or is down"),

		/** Lettuce, which knows the slots itself, uses the second text. */
		CLUSTERDOWN("\\bCLUSTERDOWN\\b|^Cannot determine a partition\\b", true,
				"Redis Cluster is down or has no node for the key"),

		MASTERDOWN(true, "this Redis is a replica that has lost its master"),

		READONLY(true,
				"this Redis is a read-only replica: check spring.data.redis.host, unless a failover is under way"),

		/** A failover ended the wait for acknowledgements. */
		UNBLOCKED("\\bUNBLOCKED force unblock\\b", true, true, "this Redis became a replica during the request"),

		NOREPLICAS(true, "Redis does not have enough healthy replicas (min-replicas-to-write)"),

		OOM(false, "Redis is out of memory (maxmemory is reached): raise maxmemory, or let other keys expire"),

		MISCONF(false, "Redis refuses to write because it cannot save its data: see its log"),

		/** Inside a script, Redis 7.0 and 7.2 use other texts. */
		NOPERM("\\bNOPERM\\b|The user executing the script|ACL failure in script", false,
				"the Redis user may not do this: extend its ACL"),

		NOAUTH(false, "Redis requires a password: set spring.data.redis.password"),

		WRONGPASS(false, "Redis rejected the user name and password: check spring.data.redis.username and password"),

		/**
		 * Jedis, which checks the slots itself, and Redis inside a script use other
		 * texts.
		 */
		CROSSSLOT("\\bCROSSSLOT\\b|must belong to same hashslot|hash to the same slot", false,
				"the keys of the lock lie in different slots of the cluster"),

		/** The first text is the reply of Valkey without its Lua module. */
		NO_SCRIPTS("(?i)could not find scripting engine|\\bunknown command .?eval", false,
				"Redis cannot run Lua scripts: allow EVAL and EVALSHA, or load the Lua module of Valkey"),

		NO_WAIT("(?i)\\bunknown command .?wait\\b", false,
				"Redis does not know WAIT: remove redis-lock.replication.min-acks, or use a Redis with this command"),

		DISCONNECTED("Commands are rejected", true, "the connection to Redis is down, reconnecting"),

		QUEUE_FULL("Commands are not accepted until", true,
				"not sent, because the Redis client's queue of requests is full"),

		UNKNOWN_COMMAND("(?i)\\bunknown (redis )?command\\b", false,
				"Redis does not know a command of the scripts: 6.2 or later is needed");

		private final Pattern pattern;

		private final boolean retryable;

		private final boolean outcomeUnknown;

		private final String text;

		Reply(boolean retryable, String text) {
			this.pattern = Pattern.compile("\\b" + name() + "\\b");
			this.retryable = retryable;
			this.outcomeUnknown = false;
			this.text = text;
		}

		Reply(String pattern, boolean retryable, String text) {
			this(pattern, retryable, false, text);
		}

		Reply(String pattern, boolean retryable, boolean outcomeUnknown, String text) {
			this.pattern = Pattern.compile(pattern);
			this.retryable = retryable;
			this.outcomeUnknown = outcomeUnknown;
			this.text = text;
		}

		boolean matches(Throwable failure) {
			return messages(failure).anyMatch((message) -> this.pattern.matcher(message).find());
		}

	}

	/**
	 * What an error means.
	 */
	private record Meaning(String text, boolean retryable, boolean outcomeUnknown) {
	}

}
