package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.github.redislock.internal.client.Script;
import io.github.redislock.internal.client.ScriptCall;
import io.github.redislock.internal.client.ScriptRunner;
import io.github.redislock.internal.client.SimulatedReplica;
import io.github.redislock.internal.client.Subscriber;
import io.github.redislock.internal.client.Timeouts;
import io.github.redislock.redis.quorum.SimulatedQuorum;
import io.github.redislock.simulation.Wire;
import org.jspecify.annotations.Nullable;

/**
 * Creates the real stores on simulated connections.
 */
public final class SimulatedStores {

	/** No script for one lock has as many keys. */
	private static final int KEYS_OF_TWO_LOCKS = 8;

	private SimulatedStores() {
	}

	/**
	 * Return the names of all scripts, including the names of calls for several locks.
	 */
	public static List<String> scripts() {
		return Stream.concat(files().map(SimulatedStores::name), Stream.of("RELEASE_ALL", "WITHDRAW_ALL")).toList();
	}

	static Stream<Script> files() {
		return Stream.concat(LockScript.ALL.stream(), Stream.of(SimulatedQuorum.script()));
	}

	static String name(Script script) {
		return script.name().toUpperCase(Locale.ROOT).replace('-', '_');
	}

	/**
	 * Return the name of a call, by which the rules distinguish a release or withdrawal
	 * of several locks from that of one lock.
	 */
	private static String name(ScriptCall call) {
		Script script = call.script();
		boolean several = Set.of(LockScript.RELEASE, LockScript.WITHDRAW).contains(script)
				&& call.seal().keys().size() >= KEYS_OF_TWO_LOCKS;
		return several ? name(script) + "_ALL" : name(script);
	}

	/**
	 * Return a store on one server.
	 * @param inbox identifies the instance
	 * @param connector runs tasks that would block on a real machine
	 * @param votes whether the server is one of a quorum
	 */
	public static RedisLockStore store(Wire wire, RedisLockStoreOptions options, UUID inbox, LongSupplier nanoTime,
			Executor connector, boolean votes) {
		LockKeys keys = new LockKeys(options.keyPrefix());
		return new RedisLockStore(() -> Link.of(new Runner(wire, options),
				new Inbox(keys.inbox(inbox.toString()), keys.news(), new Listener(wire), nanoTime, connector), options,
				nanoTime), options, false, true, votes);
	}

	private record Runner(Wire wire, Timeouts timeouts, SimulatedReplica replica,
			boolean acknowledged) implements ScriptRunner {

		Runner(Wire wire, RedisLockStoreOptions options) {
			this(wire, new Timeouts(wire.scheduler()), new SimulatedReplica(options.commandTimeout()),
					options.minAcks() > 0);
		}

		@Override
		public CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration sendTimeout,
				@Nullable Predicate<Object> written) {
			Wire.Replication replication = (this.acknowledged && written != null)
					? new Wire.Replication(written, this.replica.limit(), this.replica::failure) : null;
			return this.wire.ask(name(call), call.script().text(), call, timeout, replication);
		}

		@Override
		public void publish(String channel, String message) {
			this.wire.publish(channel, message.getBytes(StandardCharsets.UTF_8));
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
				public CompletionStage<Void> end() {
					return listening.end();
				}

			};
		}

	}

}
