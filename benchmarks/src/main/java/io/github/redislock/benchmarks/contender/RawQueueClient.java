package io.github.redislock.benchmarks.contender;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * The client of {@link RawQueueContender} in one process, with one connection for scripts
 * and one for its inbox.
 */
final class RawQueueClient implements LockClient {

	private final RawConnection connection;

	private final StatefulRedisPubSubConnection<String, String> subscription;

	private final String acquire;

	private final String release;

	private final String inbox = "inbox:" + UUID.randomUUID();

	private final AtomicLong turns = new AtomicLong();

	private final Map<String, Turnstile> byName = new ConcurrentHashMap<>();

	/** The turnstiles that wait for a message, by their turns. */
	private final Map<String, Turnstile> waiting = new ConcurrentHashMap<>();

	private final String lease;

	private final int passes;

	RawQueueClient(ClientSettings settings, int passes) {
		this.connection = new RawConnection(settings);
		this.acquire = this.connection.load(script("raw-queue-acquire.lua"));
		this.release = this.connection.load(script("raw-queue-release.lua"));
		this.lease = Long.toString(settings.lease().toMillis());
		this.passes = passes;
		this.subscription = this.connection.client().connectPubSub();
		this.subscription.addListener(new RedisPubSubAdapter<>() {
			@Override
			public void message(String channel, String turn) {
				granted(turn);
			}
		});
		this.subscription.sync().subscribe(this.inbox);
	}

	static String lockKey(String name) {
		return "queue:{" + name + "}:lock";
	}

	@Override
	public Held acquire(String name) {
		Turnstile turnstile = this.byName.computeIfAbsent(name, (missing) -> new Turnstile(this, name, this.passes));
		turnstile.enter();
		return turnstile::leave;
	}

	@Override
	public void close() {
		this.subscription.close();
		this.connection.close();
	}

	/**
	 * Return a new turn, and register its turnstile to be notified when the turn comes.
	 */
	String newTurn(Turnstile turnstile) {
		String turn = this.inbox + "/" + this.turns.incrementAndGet();
		this.waiting.put(turn, turnstile);
		return turn;
	}

	void forget(String turn) {
		this.waiting.remove(turn);
	}

	/**
	 * Request a lock, or a place in its queue.
	 * @return a negative number if the lock was acquired, otherwise the rest of the
	 * holder's lease in ms
	 */
	long ask(String name, String turn) {
		return this.connection.run(this.acquire, keys(name), turn, this.lease);
	}

	/**
	 * Release a lock, or hand it over.
	 * @return the reply of {@code raw-queue-release.lua}
	 */
	long handOver(String name, String turn, String again) {
		return this.connection.run(this.release, keys(name), turn, again, this.lease);
	}

	private void granted(String turn) {
		Turnstile turnstile = this.waiting.get(turn);
		if (turnstile != null) {
			turnstile.grant(turn);
		}
	}

	private static String[] keys(String name) {
		return new String[] { lockKey(name), "queue:{" + name + "}:waiters" };
	}

	private static String script(String file) {
		try (InputStream source = RawQueueClient.class.getResourceAsStream(file)) {
			return new String(Objects.requireNonNull(source, file).readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
