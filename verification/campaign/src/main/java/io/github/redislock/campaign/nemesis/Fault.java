package io.github.redislock.campaign.nemesis;

import java.time.Duration;
import java.util.Locale;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.github.redislock.campaign.worker.Pause;
import io.github.redislock.testing.FaultProxy;
import io.github.redislock.testing.FaultProxy.Cut;
import io.github.redislock.testing.RedisProcess;

/**
 * Something that goes wrong, and is mended after a while.
 */
public enum Fault {

	/** A process stands still, and does not notice. */
	FREEZE_PROCESS((field, random) -> field.onChild(random, (child) -> child.freeze(field.leases(random, 0.5, 2.5)))),

	/** A process crashes; another one takes its place. */
	KILL_PROCESS((field, random) -> field.onChild(random, Child::replace)),

	/** Nothing comes through, and nobody is told. What was under way arrives later. */
	PARTITION((field, random) -> during(field, random, FaultProxy::isolate, FaultProxy::flow)),

	/** Nothing comes through, and what was under way is lost. */
	BROKEN_PARTITION((field, random) -> during(field, random, FaultProxy::isolate, (network) -> {
		network.drop();
		network.flow();
	})),

	/** Nobody listens. */
	REFUSED((field, random) -> during(field, random, (network) -> {
		network.refuse();
		network.cutClients(cut(random));
	}, FaultProxy::flow)),

	/** Redis does what it is told, and its answers are lost. */
	LOST_REPLIES((field, random) -> during(field, random, FaultProxy::holdReplies, FaultProxy::drop)),

	/** Redis hears nothing. */
	LOST_REQUESTS((field, random) -> during(field, random, FaultProxy::holdRequests, FaultProxy::drop)),

	/** Redis does what it was told long ago, by who has given up and connected anew. */
	LATE_REQUESTS((field, random) -> during(field, random, (network) -> {
		network.holdRequests();
		Pause.of(field.leases(random, 0, 0.3));
		network.cutClients(cut(random));
	}, FaultProxy::flow)),

	/** Connections end in order. */
	CLOSED_CONNECTIONS((field, random) -> field.onChild(random, (child) -> child.network().cutClients(Cut.FIN))),

	/** Connections are reset, several times. */
	RESET_CONNECTIONS((field, random) -> field.onChild(random, (child) -> {
		for (int time = 0; time < 5; time++) {
			child.network().cutClients(Cut.RST);
			Pause.of(field.leases(random, 0, 0.05));
		}
	})),

	/** Answers take their time. */
	SLOW_REPLIES((field, random) -> during(field, random,
			(network) -> network.delay(Duration.ofMillis(50 + random.nextInt(400))),
			(network) -> network.delay(Duration.ZERO))),

	/** The subscription ends, and everything else works. */
	CUT_SUBSCRIPTION(
			(field, random) -> field.onChild(random, (child) -> child.network().cutSubscriptions(cut(random)))),

	/** Messages are lost, and everything else works. */
	LOST_MESSAGES((field, random) -> during(field, random, FaultProxy::holdMessages, (network) -> {
		network.cutSubscriptions(cut(random));
		network.flow();
	})),

	/** Messages come late, and everything else works. */
	LATE_MESSAGES((field, random) -> during(field, random, FaultProxy::holdMessages, FaultProxy::flow)),

	/** Redis stands still, and does not notice. */
	FREEZE_REDIS((field, random) -> field.onRedis((redis) -> {
		redis.freeze();
		Pause.of(field.leases(random, 0.2, 1.7));
		redis.thaw();
	})),

	/** Redis crashes, and starts again with what it has kept. */
	KILL_REDIS((field, random) -> field.onRedis((redis) -> {
		redis.kill();
		Pause.of(field.leases(random, 0, 0.5));
		redis.restart();
	})),

	/** Redis ends all connections. */
	KILL_CLIENTS((field, random) -> command(field, "CLIENT", "KILL", "TYPE", "normal")),

	/** Redis ends all subscriptions. */
	KILL_SUBSCRIBERS((field, random) -> command(field, "CLIENT", "KILL", "TYPE", "pubsub")),

	/** Redis lets everybody wait. */
	PAUSE_CLIENTS((field, random) -> {
		Duration length = field.leases(random, 0.1, 1.2);
		command(field, "CLIENT", "PAUSE", Long.toString(length.toMillis()), random.nextBoolean() ? "ALL" : "WRITE");
		Pause.of(length);
	}),

	/** Redis forgets all scripts. */
	FLUSH_SCRIPTS((field, random) -> command(field, "SCRIPT", "FLUSH")),

	/** The server's wall clock steps, and later steps back. */
	STEP_CLOCK((field, random) -> field.onRedis((redis) -> {
		ServerClock clock = field.clock();
		if (clock == null) {
			throw new IllegalStateException("The clock cannot be moved");
		}
		long size = field.clockStep().toMillis() / 2 + random.nextLong(field.clockStep().toMillis() / 2 + 1);
		clock.step(Duration.ofMillis(random.nextBoolean() ? size : -size));
		Pause.of(field.leases(random, 1.2, 1.4));
		clock.step(Duration.ZERO);
		// Two steps in one lease would be one that is twice as long.
		Pause.of(field.leases(random, 1.2, 1.4));
	})),

	/** Other programs take all the processors. */
	STARVE((field, random) -> Starvation.during(field.leases(random, 0.5, 1.5))),

	/** An application ends in order and starts again. */
	CLOSE_TEMPLATE((field, random) -> field.onChild(random, (child) -> child.order("reopen"))),

	/** Threads are interrupted all the time. */
	INTERRUPT_STORM((field, random) -> field.onChild(random, (child) -> {
		Duration length = field.leases(random, 0.3, 1);
		child.order("interrupt " + length.toMillis());
		Pause.of(length);
	}));

	private final BiConsumer<Field, Random> strike;

	Fault(BiConsumer<Field, Random> strike) {
		this.strike = strike;
	}

	/**
	 * Return how to name it on the command line.
	 * @return the name in lower case, with hyphens
	 */
	public String label() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * Break something, and mend it.
	 */
	void strike(Field field, Random random) {
		this.strike.accept(field, random);
	}

	private static void during(Field field, Random random, Consumer<FaultProxy> fault, Consumer<FaultProxy> end) {
		field.onChild(random, (child) -> {
			fault.accept(child.network());
			Pause.of(field.leases(random, 0.15, 1.5));
			end.accept(child.network());
		});
	}

	private static void command(Field field, String... words) {
		field.onRedis((RedisProcess redis) -> redis.command(words));
	}

	private static Cut cut(Random random) {
		return random.nextBoolean() ? Cut.FIN : Cut.RST;
	}

}
