package io.github.redislock.simulation;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.github.redislock.LockTarget;

/**
 * Something that goes wrong once or for a while.
 */
enum Fault {

	/** Some requests, replies and messages are late, independently of each other. */
	LATENESS((world, chance) -> weather(world, chance, (weather) -> {
		weather.slow = chance.between(50, 400);
		weather.latest = chance.between(20, 1_500) * Fault.MILLI;
	})),

	LOST_QUESTIONS(
			(world, chance) -> weather(world, chance, (weather) -> weather.lostQuestions = chance.between(50, 500))),

	LOST_ANSWERS((world, chance) -> weather(world, chance, (weather) -> weather.lostReplies = chance.between(50, 500))),

	LOST_MESSAGES(
			(world, chance) -> weather(world, chance, (weather) -> weather.lostMessages = chance.between(300, 1_000))),

	/** Some requests arrive twice if the client is one that repeats requests. */
	COPIES((world, chance) -> weather(world, chance, (weather) -> {
		weather.copies = chance.between(50, 500);
		weather.latest = chance.between(20, 1_500) * Fault.MILLI;
	})),

	BROKEN_CONNECTIONS(
			(world, chance) -> weather(world, chance, (weather) -> weather.breaks = chance.between(30, 300))),

	RESET((world, chance) -> anyWire(world, chance).breakDown("reset")),

	INTERRUPTED_SUBSCRIPTION((world, chance) -> anyWire(world, chance).breakListening(false)),

	/** The connection of a subscription dies without an error. */
	SILENT_SUBSCRIPTION((world, chance) -> anyWire(world, chance).breakListening(true)),

	SILENCE_TO_SERVER((world, chance) -> weather(world, chance,
			(weather) -> weather.silenceToServer(world.time().now() + chance.between(50L, 3_000L) * Fault.MILLI))),

	SILENCE_TO_CLIENT((world, chance) -> weather(world, chance,
			(weather) -> weather.silenceToClient(world.time().now() + chance.between(50L, 3_000L) * Fault.MILLI))),

	PAUSED_INSTANCE((world, chance) -> stop(world, chance, false)),

	/** An instance is suspended, so that its monotonic clock stops. */
	SUSPENDED_INSTANCE((world, chance) -> stop(world, chance, true)),

	CRASHED_INSTANCE((world, chance) -> {
		int number = chance.between(0, world.instances().size() - 1);
		Instance instance = world.instances().get(number);
		if (instance.isOpen()) {
			world.story().tell(instance.name(), 0, () -> "crashes");
			world.crash(instance);
			world.time().after(chance.between(10L, 2_000L) * Fault.MILLI, () -> world.restart(number));
		}
	}),

	/** A running instance shuts down in an orderly way. */
	SHUTDOWN((world, chance) -> {
		int number = chance.between(0, world.instances().size() - 1);
		Instance instance = world.instances().get(number);
		if (instance.isOpen() && instance.host().isRunning()) {
			world.story().tell(instance.name(), 0, () -> "shuts down");
			instance.close();
			world.story().tell(instance.name(), 0, () -> "has shut down");
			world.time().after(chance.between(10L, 500L) * Fault.MILLI, () -> world.restart(number));
		}
	}),

	/** Callers of an instance are interrupted if they have a thread. */
	INTERRUPTED_CALLERS((world, chance) -> {
		Instance instance = chance.oneOf(world.instances());
		instance.host().bring(() -> world.interruptCallers(instance));
	}),

	PAUSED_REDIS((world, chance) -> forAWhile(world, chance, "stops", Server::standStill, "resumes", Server::goOn)),

	CRASHED_REDIS((world, chance) -> crash(world, chance, true)),

	/** Redis crashes and comes back without its data. */
	FORGETFUL_REDIS((world, chance) -> crash(world, chance, false)),

	/** The servers restart one after the other, each with or without its data. */
	ROLLING_RESTARTS((world, chance) -> {
		long at = 0;
		for (Server server : world.servers()) {
			boolean withData = chance.oneIn(2);
			long down = chance.between(5L, 300L) * Fault.MILLI;
			world.time().after(at, () -> restart(world, server, withData, down));
			at += down + chance.between(1L, 500L) * Fault.MILLI;
		}
	}),

	FLUSHED_REDIS((world, chance) -> {
		Server server = chance.oneOf(world.servers());
		tell(world, server, "loses all data");
		server.flush();
	}),

	FULL_MEMORY((world, chance) -> {
		Server server = chance.oneOf(world.servers());
		tell(world, server, "is full");
		server.full(true);
		world.time().after(chance.between(10L, 2_000L) * Fault.MILLI, () -> server.full(false));
	}),

	READ_ONLY_REDIS((world, chance) -> {
		Server server = chance.oneOf(world.servers());
		tell(world, server, "is read-only");
		server.readOnly(true);
		world.time().after(chance.between(10L, 2_000L) * Fault.MILLI, () -> server.readOnly(false));
	}),

	/**
	 * A server is replaced by its replica, which may lack the latest data and have a
	 * different clock.
	 */
	FAILOVER((world, chance) -> {
		Server server = chance.oneOf(world.servers());
		server.stopReplication();
		long ahead = chance.oneIn(3) ? chance.between(-20L, 20L) * Fault.MILLI : 0;
		world.time().after(chance.between(0L, 1_000L) * Fault.MILLI, () -> {
			tell(world, server, "is replaced by its replica");
			server.failOver();
			server.stepClock(ahead, false);
		});
	}),

	/** The replica gets no data for a while. */
	LAGGING_REPLICA((world, chance) -> forAWhile(world, chance, "has a replica that falls behind",
			Server::stopReplication, "has a replica that has caught up", Server::replicate)),

	/** A lock is released by force, at once or soon after a burst of requests. */
	FORCED_RELEASE((world, chance) -> {
		long burst = Scenario.BURST - world.time().now() % Scenario.BURST;
		world.time().after(chance.oneIn(2) ? 0 : burst + chance.between(1L, 20L) * Fault.MILLI, () -> {
			Instance instance = chance.oneOf(world.instances());
			if (instance.isOpen() && !world.names().isEmpty()) {
				instance.host()
					.bring(() -> instance.engine().async().forceRelease(LockTarget.of(chance.oneOf(world.names()))));
			}
		});
	}),

	/** The clock of a server steps by less than half of the shortest grace. */
	CLOCK_STEP((world, chance) -> step(world, chance, chance.between(-45L, 45L), false)),

	/**
	 * The clock of a server steps by up to five seconds, usually by more than the grace.
	 */
	LARGE_CLOCK_STEP((world, chance) -> step(world, chance, chance.between(-5_000L, 5_000L), true)),

	/**
	 * The keys of a server lose their expiry, as in a copy without it. Later an operator
	 * sets it again.
	 */
	LOST_EXPIRY((world, chance) -> forAWhile(world, chance, "loses the expiry of all keys", Server::loseExpiry,
			"has the expiry of all keys again", Server::regainExpiry));

	private static final long MILLI = 1_000_000;

	private final BiConsumer<World, Chance> strike;

	Fault(BiConsumer<World, Chance> strike) {
		this.strike = strike;
	}

	void strike(World world, Chance chance) {
		world.counts().count("fault: " + this);
		world.story().tell("fault", ordinal(), this::toString);
		this.strike.accept(world, chance);
	}

	private static void weather(World world, Chance chance, Consumer<Weather> change) {
		List<Weather> all = chance.oneOf(world.instances()).weathers();
		List<Weather> some = (all.size() == 1 || chance.oneIn(3)) ? all : List.of(chance.oneOf(all));
		some.forEach(change);
		world.time().after(chance.between(20L, 2_000L) * MILLI, () -> some.forEach(Weather::clear));
	}

	private static Wire anyWire(World world, Chance chance) {
		return chance.oneOf(chance.oneOf(world.instances()).wires());
	}

	private static void stop(World world, Chance chance, boolean suspend) {
		world.stop(chance.oneOf(world.instances()), suspend, chance.between(5L, 4_000L) * MILLI);
	}

	/**
	 * Put a server into a state that ends after up to three seconds.
	 */
	private static void forAWhile(World world, Chance chance, String begin, Consumer<Server> enter, String end,
			Consumer<Server> leave) {
		Server server = chance.oneOf(world.servers());
		tell(world, server, begin);
		enter.accept(server);
		world.time().after(chance.between(10L, 3_000L) * MILLI, () -> {
			tell(world, server, end);
			leave.accept(server);
		});
	}

	private static void crash(World world, Chance chance, boolean withData) {
		restart(world, chance.oneOf(world.servers()), withData, chance.between(5L, 1_500L) * MILLI);
	}

	private static void restart(World world, Server server, boolean withData, long down) {
		tell(world, server, "crashes");
		server.crash();
		world.time().after(down, () -> {
			tell(world, server, withData ? "is back" : "is back without its data");
			server.restart(withData);
		});
	}

	private static void step(World world, Chance chance, long millis, boolean beyondGrace) {
		Server server = chance.oneOf(world.servers());
		world.story().tell(server.name(), millis, () -> "steps its clock by " + millis + " ms");
		server.stepClock(millis * MILLI, beyondGrace);
	}

	private static void tell(World world, Server server, String what) {
		world.story().tell(server.name(), what.hashCode(), () -> what);
	}

	/**
	 * A fault that a plan schedules.
	 *
	 * @param at the time of the fault, in nanoseconds since the world began
	 * @param seed the seed of the fault's random numbers
	 */
	record Strike(long at, Fault fault, long seed) implements Step {

		@Override
		public Step later(long nanos) {
			return new Strike(this.at + nanos, this.fault, this.seed);
		}

		@Override
		public void happen(World world) {
			this.fault.strike(world, new Chance(this.seed));
		}

		@Override
		public String toString() {
			return this.fault.toString();
		}

	}

}
