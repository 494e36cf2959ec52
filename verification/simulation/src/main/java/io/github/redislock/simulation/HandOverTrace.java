package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.github.redislock.simulation.redis.StoredKey;
import io.github.redislock.simulation.redis.StoredValue;
import org.jspecify.annotations.Nullable;

/**
 * Records what happens to one lock in terms of the model of the hand-over, for
 * {@code verification/spec/check.sh trace}.
 */
final class HandOverTrace extends Rule {

	/** The time without a request after which a waiter counts as dead. */
	private static final long SILENCE_MICROS = 3_000_000;

	/** The number of keys when the {@code take} script acquires a lock. */
	private static final int KEYS_OF_TAKE = 2;

	/** The number of keys when the {@code free} script releases a lock. */
	private static final int KEYS_OF_DROP = 1;

	private final Map<String, Request> requests = new LinkedHashMap<>();

	private final List<Observed> steps = new ArrayList<>();

	/** Requests that do not wait. In the model, every request waits. */
	private final Set<String> hasty = new TreeSet<>();

	/**
	 * Maps each request that yielded its lock to the next request of the same instance.
	 */
	private final Map<String, String> yielded = new HashMap<>();

	private SortedMap<String, StoredKey> before = Collections.emptySortedMap();

	HandOverTrace(World world) {
		super(world);
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		Asker asker = Asker.of(evaluation.script(), evaluation.arguments());
		int keys = evaluation.keys().size();
		String kind = switch (evaluation.script()) {
			case "ACQUIRE" ->
				(keys == KEYS_OF_TAKE) ? taken(evaluation) : (asker != null && asker.waits()) ? "acquire" : "try";
			case "RELEASE" -> (keys == KEYS_OF_DROP) ? "drop" : "release";
			case "YIELD", "WITHDRAW", "RENEW" -> evaluation.script().toLowerCase(java.util.Locale.ROOT);
			default -> null;
		};
		if (kind == null) {
			return;
		}
		if ("RENEW".equals(evaluation.script()) && evaluation.keys().size() != 2) {
			throw new IllegalStateException("Only one lock can be traced");
		}
		long sentAt = world().time().now() - evaluation.age();
		// No attempt of this request has arrived, so it is unknown whether the request
		// would have waited.
		String owner = (asker != null && !"yield".equals(kind)) ? asker.owner()
				: Words.text(evaluation.arguments().get(0));
		boolean never = "withdraw".equals(kind) && !this.requests.containsKey(request(owner));
		String old = note(owner, sentAt);
		String request = (asker != null) ? note(asker.owner(), sentAt) : old;
		if (!request.equals(old)) {
			this.yielded.put(old, request);
		}
		Set<String> silent = new TreeSet<>(this.hasty);
		boolean deaf = waiters(evaluation.server(), silent);
		noteTime(evaluation.server());
		if ("try".equals(kind) || never) {
			this.hasty.add(request);
		}
		add(kind, request, evaluation.keysAfter(), silent, deaf);
		this.before = new TreeMap<>(evaluation.keysAfter());
	}

	/**
	 * Return {@code take} if the {@code take} script granted the lock, or {@code null} if
	 * it changed nothing.
	 */
	private static @Nullable String taken(Server.Evaluation evaluation) {
		return (evaluation.reply() instanceof List<?> reply && Long.valueOf(1).equals(reply.get(0))) ? "take" : null;
	}

	/**
	 * Record which keys have expired since the last script.
	 */
	private void noteTime(Server server) {
		long millis = server.micros() / 1_000;
		SortedMap<String, StoredKey> left = new TreeMap<>(this.before);
		if (left.values().removeIf((key) -> key.expires() && millis > key.expiresAt())) {
			add("time", "", left, this.hasty, false);
		}
	}

	private void add(String kind, String request, SortedMap<String, StoredKey> keys, Collection<String> silent,
			boolean deaf) {
		String value = lock(keys);
		this.steps.add(new Observed(kind, request, (value != null) ? request(value) : null, isBare(keys), queue(keys),
				tombs(keys), inside(), List.copyOf(silent), deaf));
	}

	/**
	 * Add the waiters that have been silent for too long to a set.
	 * @return whether messages cannot reach one of the waiters
	 */
	private boolean waiters(Server server, Set<String> silent) {
		boolean deaf = false;
		for (Map.Entry<String, StoredKey> entry : this.before.entrySet()) {
			if (entry.getKey().endsWith(":queue") && entry.getValue().value() instanceof StoredValue.SortedSet queue) {
				StoredKey noted = this.before.get(entry.getKey().replace(":queue", ":waiters"));
				for (StoredValue.Member member : queue.members()) {
					Asker waiter = Objects.requireNonNull(Asker.ofEntry(member.name()));
					String record = (noted != null && noted.value() instanceof StoredValue.Hash all)
							? all.fields().get(waiter.request()) : null;
					long seen = (record != null) ? Long.parseLong(record.split(" ")[0]) : (long) member.score();
					if (server.micros() - seen > SILENCE_MICROS) {
						silent.add(waiter.request());
					}
					// Half a microsecond marks a waiter that polls.
					deaf |= member.score() % 1 != 0.5 && server.subscribers(waiter.inbox()) == 0;
				}
			}
		}
		return deaf;
	}

	private String note(String owner, long sentAt) {
		String request = request(owner);
		this.requests.computeIfAbsent(request, (id) -> new Request(id, owner.substring(0, owner.indexOf('/')), sentAt))
			.sent(sentAt);
		return request;
	}

	private static @Nullable String lock(SortedMap<String, StoredKey> keys) {
		return keys.entrySet()
			.stream()
			.filter((entry) -> LockNames.isLock(entry.getKey()))
			.map((entry) -> ((StoredValue.Text) entry.getValue().value()).content())
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return the request ID from an owner token, or from the value of a lock key, which
	 * begins with an owner token.
	 */
	private static String request(String owner) {
		return owner.substring(owner.indexOf('/') + 1).split("\\s", 2)[0];
	}

	private static boolean isBare(SortedMap<String, StoredKey> keys) {
		return keys.entrySet()
			.stream()
			.filter((entry) -> LockNames.isLock(entry.getKey()))
			.map((entry) -> Holding.of(entry.getValue()))
			.anyMatch((holding) -> holding != null && holding.oneKey());
	}

	private static List<String> queue(SortedMap<String, StoredKey> keys) {
		return keys.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().endsWith(":queue"))
			.flatMap((entry) -> ((StoredValue.SortedSet) entry.getValue().value()).members().stream())
			.map((member) -> member.name().split(" ", 2)[0])
			.toList();
	}

	private static List<String> tombs(SortedMap<String, StoredKey> keys) {
		return keys.keySet()
			.stream()
			.filter((key) -> key.contains(":cancel:"))
			.map((key) -> key.substring(key.lastIndexOf(':') + 1))
			.toList();
	}

	/**
	 * Return the requests that hold the lock according to the clock of their instance.
	 */
	private List<String> inside() {
		return world().attempts()
			.stream()
			.filter((attempt) -> attempt.isHolding() && !attempt.instance().host().isDead()
					&& attempt.handle().isHeld())
			.map((attempt) -> request(attempt.handle().owner()))
			.distinct()
			.toList();
	}

	/**
	 * Return the module that {@code Trace.tla} extends.
	 * @param runs several runs by seed
	 */
	static String module(SortedMap<Long, Recorded> runs) {
		String lives = runs.values()
			.stream()
			.flatMap((run) -> run.instances().stream())
			.distinct()
			.sorted()
			.map("\"%s\""::formatted)
			.collect(Collectors.joining(", "));
		String seeds = runs.keySet().stream().map("\"%d\""::formatted).collect(Collectors.joining(", "));
		String steps = runs.values().stream().map(Recorded::steps).collect(Collectors.joining(",\n"));
		return """
				------------------------------- MODULE Observed -------------------------------
				Lives == {%s}
				Seeds == <<%s>>
				Observed == <<
				%s
				>>
				===============================================================================
				""".formatted(lives, seeds, steps);
	}

	Recorded recorded() {
		Map<String, Integer> made = new HashMap<>();
		Map<String, String> names = new HashMap<>();
		this.requests.values()
			.stream()
			.filter((request) -> !this.yielded.containsValue(request.id))
			.sorted(Comparator.comparingLong(Request::sentAt))
			.forEach((request) -> {
				// In the model, the request after a yield has the next number of its
				// instance.
				for (String id = request.id; id != null; id = this.yielded.get(id)) {
					names.put(id, "<<\"%s\", %d>>".formatted(request.instance,
							made.merge(request.instance, 1, Integer::sum)));
				}
			});
		return new Recorded(
				this.requests.values().stream().map((request) -> request.instance).collect(Collectors.toSet()),
				this.steps.stream()
					.map((step) -> step.words(names))
					.collect(Collectors.joining(",\n", "<<\n", "\n>>")));
	}

	/**
	 * A recorded run.
	 *
	 * @param instances the instances that sent requests
	 * @param steps a TLA+ sequence
	 */
	record Recorded(Set<String> instances, String steps) {
	}

	private static final class Request {

		private final String id;

		private final String instance;

		private long sentAt;

		Request(String id, String instance, long sentAt) {
			this.id = id;
			this.instance = instance;
			this.sentAt = sentAt;
		}

		void sent(long at) {
			this.sentAt = Math.min(this.sentAt, at);
		}

		long sentAt() {
			return this.sentAt;
		}

	}

	private record Observed(String kind, String request, @Nullable String owner, boolean bare, List<String> queue,
			List<String> tombs, List<String> inside, List<String> silent, boolean deaf) {

		String words(Map<String, String> names) {
			return ("  [kind |-> \"%s\", req |-> %s, owner |-> %s, bare |-> %s, queue |-> <<%s>>,"
					+ " tombs |-> {%s}, inside |-> {%s}, silent |-> {%s}, deaf |-> %s]")
				.formatted(this.kind, names.getOrDefault(this.request, "<<>>"),
						(this.owner != null) ? names.getOrDefault(this.owner, "<<\"?\", 0>>") : "<<>>",
						this.bare ? "TRUE" : "FALSE", all(this.queue, names), all(this.tombs, names),
						all(this.inside, names), all(this.silent, names), this.deaf ? "TRUE" : "FALSE");
		}

		private static String all(List<String> requests, Map<String, String> names) {
			return requests.stream()
				.map((request) -> names.getOrDefault(request, "<<\"?\", 0>>"))
				.collect(Collectors.joining(", "));
		}

	}

}
