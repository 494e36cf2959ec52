package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.redislock.simulation.redis.Channels;
import io.github.redislock.simulation.redis.LuaScripts;
import io.github.redislock.simulation.redis.SimulatedRedis;
import io.github.redislock.simulation.redis.StoredKey;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server of the world, with its data, clock and subscribers. The server may stop,
 * be down, or lose data.
 */
public final class Server implements Channels {

	private static final long MICROS = 1_000;

	/** A lifetime in milliseconds that is longer than that of a queue. */
	private static final long LATER = 30_000;

	private final String name;

	private final VirtualTime time;

	/** Whether this server may lose grants because it has no quarantine. */
	private final boolean losesGrants;

	/** Whether a replica must have each grant, so that a failover loses none. */
	private final boolean replicatesGrants;

	private final long drift;

	private final SimulatedRedis redis;

	private final Map<String, List<Wire.Listening>> listeners = new LinkedHashMap<>();

	private final List<Wire> wires = new ArrayList<>();

	private final Deque<Runnable> waiting = new ArrayDeque<>();

	private Consumer<Evaluation> observer = (evaluation) -> {
	};

	private long clockStep;

	/** When the last script ran. No two scripts run in the same microsecond. */
	private long served;

	/** How many times grants may have been forgotten or ended too early. */
	private int generation;

	/** How many times the data has been replaced. */
	private int dataLife;

	private boolean failedOver;

	private boolean away;

	private boolean wentBack;

	private boolean still;

	/** The data of the replica, if it is behind. */
	private @Nullable SortedMap<String, StoredKey> replica;

	/** Waits until the replica has caught up. */
	private final List<CompletableFuture<Boolean>> awaited = new ArrayList<>();

	/** The keys with the expiry that they have lost. */
	private final Map<String, StoredKey> expiring = new HashMap<>();

	/** How many times the keys have lost their expiry and not regained it. */
	private int lostExpiry;

	Server(String name, VirtualTime time, LuaScripts lua, boolean losesGrants, boolean replicatesGrants, long drift,
			long clockAhead) {
		this.name = name;
		this.time = time;
		this.losesGrants = losesGrants;
		this.replicatesGrants = replicatesGrants;
		this.drift = drift;
		this.clockStep = clockAhead;
		this.redis = new SimulatedRedis(lua, this::micros, this);
	}

	void observer(Consumer<Evaluation> observer) {
		this.observer = observer;
	}

	void connected(Wire wire) {
		this.wires.add(wire);
	}

	void disconnected(Wire wire) {
		this.wires.remove(wire);
	}

	String name() {
		return this.name;
	}

	/**
	 * Return the time of day by this server's clock, in microseconds.
	 */
	long micros() {
		long nanos = Math.max(this.time.now(), this.served);
		long epoch = Host.EPOCH.getEpochSecond() * 1_000_000L;
		return epoch + (Host.drifted(nanos, this.drift) + this.clockStep) / MICROS;
	}

	boolean isAway() {
		return this.away;
	}

	boolean wentBack() {
		return this.wentBack;
	}

	/**
	 * Return whether a replica has been promoted, which may have lacked the latest
	 * releases.
	 */
	boolean hasFailedOver() {
		return this.failedOver;
	}

	boolean isStill() {
		return this.still;
	}

	/**
	 * Return the current generation of the data. Grants of an earlier generation may be
	 * forgotten.
	 */
	int generation() {
		return this.generation;
	}

	/**
	 * Return a number that rises whenever short-lived keys may have been lost, with the
	 * data or by a large step of the clock.
	 */
	int forgetful() {
		return this.dataLife + this.generation;
	}

	int dataLife() {
		return this.dataLife;
	}

	SortedMap<String, StoredKey> keys() {
		return this.redis.keys();
	}

	/**
	 * Run a request of a client now, or when this server resumes.
	 */
	void receive(Runnable request) {
		if (this.still) {
			this.waiting.add(request);
		}
		else {
			request.run();
		}
	}

	/**
	 * Run a script.
	 * @param age the time since the script was sent, in nanoseconds
	 */
	@Nullable Object eval(String script, String source, List<byte[]> keys, List<byte[]> arguments, long age) {
		this.served = Math.max(this.time.now(), this.served + MICROS);
		Object reply = null;
		SortedMap<String, StoredKey> keysBefore = keys();
		try {
			reply = this.redis.eval(source, keys, arguments);
			return reply;
		}
		finally {
			this.observer.accept(new Evaluation(this, script, keys, arguments, age, reply, keysBefore, keys()));
		}
	}

	/**
	 * Make the data look old, so that no quarantine begins.
	 */
	void servedBefore() {
		String began = String.valueOf(Host.EPOCH.minusSeconds(3_600).toEpochMilli());
		this.redis.call(Stream.of("SET", LockNames.SINCE, began)
			.map((word) -> word.getBytes(StandardCharsets.ISO_8859_1))
			.toList());
	}

	void listen(String channel, Wire.Listening listening) {
		this.listeners.computeIfAbsent(channel, (name) -> new ArrayList<>()).add(listening);
	}

	void forget(Wire.Listening listening) {
		this.listeners.values().forEach((all) -> all.remove(listening));
	}

	@Override
	public int publish(String channel, String message) {
		List<Wire.Listening> all = this.listeners.getOrDefault(channel, List.of());
		byte[] bytes = message.getBytes(StandardCharsets.ISO_8859_1);
		List.copyOf(all).forEach((listening) -> listening.send(bytes));
		return all.size();
	}

	@Override
	public int subscribers(String channel) {
		return this.listeners.getOrDefault(channel, List.of()).size();
	}

	void standStill() {
		this.still = true;
	}

	void goOn() {
		this.still = false;
		while (!this.waiting.isEmpty()) {
			this.waiting.poll().run();
		}
	}

	/**
	 * Crash. All connections break, and requests that have not begun are dropped.
	 */
	void crash() {
		this.away = true;
		this.still = false;
		this.waiting.clear();
		this.listeners.clear();
		this.awaited.clear();
		List.copyOf(this.wires).forEach(Wire::serverDied);
	}

	void restart(boolean withData) {
		this.away = false;
		if (!withData) {
			flush();
		}
	}

	void flush() {
		replaceData(Map.of(), false);
	}

	void heal() {
		replicate();
		full(false);
		readOnly(false);
		this.away = false;
		goOn();
	}

	void full(boolean full) {
		this.redis.memoryFull(full);
	}

	void readOnly(boolean readOnly) {
		this.redis.readOnly(readOnly);
	}

	/**
	 * Let the replica fall behind: it gets no data from now on.
	 */
	void stopReplication() {
		if (this.replica == null) {
			this.replica = this.redis.keys();
		}
	}

	/**
	 * Let the replica catch up.
	 */
	void replicate() {
		this.replica = null;
		List<CompletableFuture<Boolean>> done = List.copyOf(this.awaited);
		this.awaited.clear();
		done.forEach((waiting) -> waiting.complete(true));
	}

	/**
	 * Wait until the replica has the present data.
	 * @param limit how long to wait, in nanoseconds
	 * @param told receives whether the replica has the data
	 */
	void whenReplicated(long limit, Consumer<Boolean> told) {
		CompletableFuture<Boolean> waiting = new CompletableFuture<>();
		waiting.thenAccept(told);
		if (this.replica == null) {
			waiting.complete(true);
		}
		else {
			this.awaited.add(waiting);
			this.time.after(limit, () -> waiting.complete(false));
		}
	}

	/**
	 * Let all keys lose their expiry until {@link #regainExpiry()}.
	 */
	void loseExpiry() {
		this.lostExpiry++;
		Map<String, StoredKey> endless = new HashMap<>();
		keys().forEach((name, stored) -> {
			if (stored.expires()) {
				this.expiring.put(name, stored);
			}
			endless.put(name, new StoredKey(stored.value(), StoredKey.NEVER));
		});
		this.redis.restore(endless);
	}

	/**
	 * Set the former expiry of all keys that still have none. A fence, and a key that is
	 * new since then, gets a longer one.
	 */
	void regainExpiry() {
		if (--this.lostExpiry > 0) {
			return;
		}
		long later = micros() / MICROS + LATER;
		Map<String, StoredKey> expiring = new HashMap<>(keys());
		expiring.replaceAll((name, stored) -> {
			StoredKey former = name.endsWith(":fence") ? null : this.expiring.get(name);
			return (stored.expires() || name.equals(LockNames.SINCE)) ? stored
					: new StoredKey(stored.value(), (former != null) ? former.expiresAt() : later);
		});
		this.expiring.clear();
		this.redis.restore(expiring);
	}

	/**
	 * Return whether keys may have lost their expiry.
	 */
	boolean hasLostExpiry() {
		return this.lostExpiry > 0;
	}

	void failOver() {
		SortedMap<String, StoredKey> promoted = this.replica;
		crash();
		this.away = false;
		this.failedOver = true;
		this.replica = null;
		replaceData((promoted != null) ? promoted : this.redis.keys(), this.replicatesGrants);
	}

	private void replaceData(Map<String, StoredKey> data, boolean withGrants) {
		this.redis.restore(data);
		this.generation += ((this.losesGrants || !data.isEmpty()) && !withGrants) ? 1 : 0;
		this.dataLife++;
	}

	/**
	 * Step the clock.
	 * @param beyondGrace whether leases may end too early
	 */
	void stepClock(long nanos, boolean beyondGrace) {
		this.clockStep += nanos;
		this.wentBack |= nanos < 0;
		this.generation += beyondGrace ? 1 : 0;
	}

	/**
	 * A script call that ran.
	 *
	 * @param age the time since the script was sent, in nanoseconds
	 * @param reply what the script returned, or {@code null} if it failed or returned
	 * nothing
	 * @param keysBefore all keys before the call
	 * @param keysAfter all keys after the call
	 */
	record Evaluation(Server server, String script, List<byte[]> keys, List<byte[]> arguments, long age,
			@Nullable Object reply, SortedMap<String, StoredKey> keysBefore, SortedMap<String, StoredKey> keysAfter) {

		boolean done() {
			return this.reply != null;
		}

		/**
		 * Return the call for one of the requests of this one, which does not know the
		 * keys before it.
		 */
		Evaluation of(Questions.Question question, SortedMap<String, StoredKey> keys) {
			return new Evaluation(this.server, question.script(), question.keys(), question.arguments(), this.age,
					question.reply(), keys, keys);
		}

	}

}
