package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

import io.github.redislock.LockStore;
import io.github.redislock.simulation.Wire;
import org.jspecify.annotations.Nullable;

/**
 * Makes the real stores on simulated connections.
 */
public final class SimulatedStores {

	private static final Map<LockScript, String> SOURCES = new EnumMap<>(LockScript.class);

	static {
		for (LockScript script : LockScript.values()) {
			SOURCES.put(script, new String(script.bytes(), StandardCharsets.UTF_8));
		}
	}

	private SimulatedStores() {
	}

	/**
	 * Return a store in one server.
	 * @param inbox tells the instance from all others
	 * @param connector runs what blocks on a real machine
	 */
	public static LockStore store(Wire wire, RedisLockStoreOptions options, UUID inbox, LongSupplier nanoTime,
			Executor connector) {
		return redisStore(wire, options, inbox, nanoTime, connector);
	}

	/**
	 * Return a store in several servers, more than half of which decide.
	 */
	public static LockStore quorum(List<Wire> wires, RedisLockStoreOptions options, List<UUID> inboxes,
			LongSupplier nanoTime, Executor connector, RandomGenerator random, ScheduledExecutorService scheduler) {
		List<QuorumNode> nodes = IntStream.range(0, wires.size()).mapToObj((index) -> {
			RedisLockStore store = redisStore(wires.get(index), options, inboxes.get(index), nanoTime, connector);
			return new QuorumNode("node " + (index + 1), store, store::raise);
		}).toList();
		return new QuorumLockStore(new Quorum(nodes, options.commandTimeout()),
				new QuorumPauses(scheduler, nanoTime, random));
	}

	private static RedisLockStore redisStore(Wire wire, RedisLockStoreOptions options, UUID inbox,
			LongSupplier nanoTime, Executor connector) {
		LockKeys keys = new LockKeys(options.keyPrefix());
		return new RedisLockStore(() -> RedisLockStore.Link.of(new Runner(wire),
				new Inbox(keys.inbox(inbox.toString()), keys.news(), new Listener(wire), nanoTime, connector), options,
				nanoTime), options, false, true);
	}

	/**
	 * Asks over a simulated connection.
	 */
	private record Runner(Wire wire, Timeouts timeouts) implements ScriptRunner {

		Runner(Wire wire) {
			this(wire, new Timeouts(wire.scheduler()));
		}

		@Override
		public CompletableFuture<Object> run(LockScript script, List<byte[]> keys, List<byte[]> arguments,
				Duration timeout, Duration patience, @Nullable Predicate<Object> written) {
			return this.wire.ask(script.name(), Objects.requireNonNull(SOURCES.get(script)), keys, arguments, timeout);
		}

		@Override
		public boolean countsReceivers() {
			return true;
		}

		@Override
		public boolean mayArriveTwice() {
			return this.wire.mayArriveTwice();
		}

		@Override
		public void close() {
			this.wire.close();
		}

	}

	/**
	 * Listens over a simulated connection.
	 */
	private record Listener(Wire wire) implements Subscriber {

		@Override
		public Subscription subscribe(List<String> channels, Events events) {
			Wire.Listening listening = this.wire.subscribe(channels, new Wire.Letters() {

				@Override
				public void subscribed() {
					events.subscribed();
				}

				@Override
				public void interrupted() {
					events.interrupted();
				}

				@Override
				public void message(byte[] message) {
					events.message(message);
				}

			});
			return new Subscription() {

				@Override
				public CompletionStage<?> ping() {
					return listening.ping();
				}

				@Override
				public CompletionStage<?> end() {
					return listening.end();
				}

			};
		}

	}

}
