package io.github.redislock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.github.redislock.LockTarget;

/**
 * Determines which callers use which locks, how they use the locks, and which faults may
 * happen.
 */
enum Scenario {

	/** One lock that all callers want. */
	HOT {
		@Override
		LockTarget target(Chance chance) {
			return LockTarget.of("hot");
		}
	},

	/** One lock, with only those faults that the model of the hand-over includes. */
	HANDOVER {
		@Override
		LockTarget target(Chance chance) {
			return LockTarget.of("hot");
		}

		@Override
		List<Extra> extras() {
			return List.of();
		}

		@Override
		List<Fault> faults() {
			return List.of(Fault.LATENESS, Fault.LOST_QUESTIONS, Fault.LOST_ANSWERS, Fault.LOST_MESSAGES, Fault.COPIES,
					Fault.BROKEN_CONNECTIONS, Fault.RESET, Fault.INTERRUPTED_SUBSCRIPTION, Fault.SILENT_SUBSCRIPTION,
					Fault.SILENCE_TO_SERVER, Fault.SILENCE_TO_CLIENT, Fault.PAUSED_INSTANCE, Fault.CRASHED_INSTANCE,
					Fault.SHUTDOWN, Fault.INTERRUPTED_CALLERS, Fault.PAUSED_REDIS);
		}

		@Override
		Setting special(Chance chance, Setting setting) {
			// The model forgets no request that was closed.
			return setting;
		}
	},

	/** Four independent locks. */
	MANY {
		@Override
		LockTarget target(Chance chance) {
			return LockTarget.of(anyName(chance));
		}

		/**
		 * Let many callers request and release locks at the same time, so that one script
		 * serves several callers.
		 */
		@Override
		Ask ask(Chance chance, Swarm swarm, long at, int instance) {
			Ask ask = super.ask(chance, swarm, chance.oneIn(4) ? at : at - at % BURST, instance);
			return chance.oneIn(4) ? ask
					: ask.with(ask.target(), ask.terms(), Duration.ofMillis(ask.hold().toMillis() / 100 * 100));
		}
	},

	/** Several locks at once, and single locks of the same set. */
	SEVERAL {
		@Override
		LockTarget target(Chance chance) {
			Set<LockTarget> targets = new LinkedHashSet<>();
			int count = chance.between(1, 3);
			for (int number = 0; number < count; number++) {
				targets.add(LockTarget.of(anyName(chance)));
			}
			return LockTarget.allOf(targets);
		}

		@Override
		List<Extra> extras() {
			return List.of(Extra.AT_LEAST_FOR);
		}
	},

	/** Readers, writers and permits. */
	SHARED {
		@Override
		LockTarget target(Chance chance) {
			String name = chance.oneIn(4) ? "other" : "shared";
			return switch (chance.between(0, 3)) {
				case 0, 1 -> LockTarget.of(name).forReading();
				case 2 -> LockTarget.of(name).permits(chance.between(1, 3));
				default -> LockTarget.of(name);
			};
		}

		@Override
		Ask.Twist twist(Chance chance, Ask.Face face) {
			return (face == Ask.Face.BLOCKING && chance.oneIn(2)) ? Ask.Twist.READ : super.twist(chance, face);
		}

		@Override
		List<Extra> extras() {
			return List.of(Extra.AT_LEAST_FOR);
		}
	},

	/** A quorum of three or five servers, each of which fails independently. */
	QUORUM {
		@Override
		LockTarget target(Chance chance) {
			return chance.oneIn(6) ? LockTarget.allOf(LockTarget.of("hot"), LockTarget.of("other"))
					: LockTarget.of("hot");
		}

		@Override
		List<Extra> extras() {
			return List.of();
		}

		@Override
		Setting setting(Chance chance) {
			return super.setting(chance).servers(chance.oneIn(3) ? 5 : 3)
				.commandTimeout(Duration.ofMillis(chance.between(200, 1_000)))
				.quarantine(chance.oneIn(2) ? LONGEST_LEASE : Duration.ZERO);
		}

		@Override
		List<Fault> faults() {
			// The servers of a quorum have no replicas.
			return Stream.of(Fault.values())
				.filter((fault) -> fault != Fault.FAILOVER && fault != Fault.LAGGING_REPLICA
						&& fault != Fault.LOST_EXPIRY)
				.toList();
		}

		@Override
		int mostAsks() {
			return 15;
		}

		@Override
		int mostStrikes() {
			return 10;
		}
	},

	/**
	 * Callers that wait for one lock while they hold another, some of them in a deadlock.
	 */
	NESTED {
		@Override
		LockTarget target(Chance chance) {
			return LockTarget.of(String.valueOf((char) ('a' + chance.between(0, NESTED_NAMES - 1))));
		}

		@Override
		Ask ask(Chance chance, Swarm swarm, long at, int instance) {
			Ask usual = super.ask(chance, swarm, at, instance);
			if (chance.oneIn(4)) {
				return usual;
			}
			Duration after = Duration.ofMillis(chance.between(0, 500));
			return new Ask(at, instance, usual.target(), usual.terms(), Duration.ofMillis(chance.between(500, 4_000)),
					Ask.Face.BLOCKING, Ask.Twist.ANOTHER, after);
		}

		@Override
		List<Extra> extras() {
			return List.of();
		}
	},

	/** One lock, which may be released by force. */
	FORCE {
		@Override
		LockTarget target(Chance chance) {
			return chance.oneIn(6) ? LockTarget.of("hot").forReading() : LockTarget.of("hot");
		}

		@Override
		List<Fault> faults() {
			List<Fault> faults = new ArrayList<>(super.faults());
			for (int times = 0; times < super.faults().size(); times++) {
				faults.add(Fault.FORCED_RELEASE);
			}
			return faults;
		}

		/**
		 * Let many callers request the lock at the same time, so that instances pass it
		 * on among their callers.
		 */
		@Override
		Ask ask(Chance chance, Swarm swarm, long at, int instance) {
			return super.ask(chance, swarm, chance.oneIn(4) ? at : at - at % BURST, instance);
		}

		@Override
		Duration hold(Chance chance) {
			return chance.oneIn(4) ? super.hold(chance) : Duration.ofMillis(chance.between(0, 8));
		}
	},

	/** One lock, whose keys may lose their expiry. */
	EDITED {
		@Override
		LockTarget target(Chance chance) {
			return chance.oneIn(6) ? LockTarget.of("hot").forReading() : LockTarget.of("hot");
		}

		@Override
		List<Extra> extras() {
			return List.of(Extra.AT_LEAST_FOR);
		}

		@Override
		List<Fault> faults() {
			return List.of(Fault.LOST_EXPIRY, Fault.LOST_EXPIRY, Fault.LOST_EXPIRY, Fault.LATENESS,
					Fault.LOST_QUESTIONS, Fault.LOST_ANSWERS, Fault.LOST_MESSAGES, Fault.PAUSED_INSTANCE,
					Fault.CRASHED_INSTANCE, Fault.SHUTDOWN);
		}
	},

	/**
	 * Unusually large numbers: many callers that pass one lock on within an instance,
	 * more than a hundred readers at once, and leases of hours.
	 */
	LARGE {
		@Override
		LockTarget target(Chance chance) {
			return LockTarget.of("hot");
		}

		@Override
		List<Step> asks(Chance chance, Swarm swarm, Setting setting, int millis) {
			List<Step> steps = new ArrayList<>();
			switch (chance.between(0, 2)) {
				case 0 -> crowd(chance, swarm, setting, millis, steps);
				case 1 -> readers(chance, swarm, setting, millis, steps);
				default -> {
				}
			}
			for (int number = chance.between(steps.isEmpty() ? 3 : 0, 6); number > 0; number--) {
				steps.add(ofHours(chance, swarm, chance.between(0L, millis * MILLI), anyOf(chance, setting)));
			}
			return steps;
		}

		/**
		 * Add a crowd of callers that request a lock at the same moment. Most of them are
		 * in one instance and release the lock at once. One turn of that instance usually
		 * cannot serve all of them.
		 */
		private void crowd(Chance chance, Swarm swarm, Setting setting, int millis, List<Step> steps) {
			int most = anyOf(chance, setting);
			long at = chance.between(0L, millis * MILLI);
			for (int number = chance.between(40, 60); number > 0; number--) {
				boolean usual = chance.oneIn(8);
				Ask ask = ask(chance, swarm, at + chance.between(0L, 2 * MILLI), usual ? anyOf(chance, setting) : most);
				steps.add(usual ? ask : ask.with(ask.target(), ask.terms(), Duration.ZERO));
			}
		}

		/**
		 * Add readers that wait behind a writer, so that one script may grant the lock to
		 * more than a hundred of them.
		 */
		private void readers(Chance chance, Swarm swarm, Setting setting, int millis, List<Step> steps) {
			LockTarget lock = LockTarget.of("read");
			long at = chance.between(0L, millis * MILLI);
			steps.add(ask(chance, swarm, at, anyOf(chance, setting)).with(lock,
					Terms.of(LONGEST_LEASE, EveryoneServed.PATIENT), Duration.ofMillis(500)));
			boolean mixed = chance.oneIn(2);
			for (int number = chance.between(105, 120); number > 0; number--) {
				Ask ask = ask(chance, swarm, at + chance.between(10 * MILLI, 100 * MILLI), anyOf(chance, setting));
				Terms terms = chance.oneIn(mixed ? 4 : 40) ? ask.terms() : ask.terms().waitTime(EveryoneServed.PATIENT);
				boolean writes = mixed && chance.oneIn(30);
				steps.add(ask.with(writes ? lock : lock.forReading(), terms, ask.hold()));
			}
		}

		/**
		 * Return a caller with a lease of hours. The waiting time is short, so that
		 * callers do not wait for the end of a dead process's lease. Some of these
		 * callers hold the lock for hours.
		 */
		private Ask ofHours(Chance chance, Swarm swarm, long at, int instance) {
			Ask ask = ask(chance, swarm, at, instance);
			Terms terms = ask.terms()
				.lease(Duration.ofSeconds(chance.between(3_600, 18_000)))
				.waitTime(Duration.ofMillis(chance.between(0, 5_000)));
			Duration hold = chance.oneIn(4) ? Duration.ofSeconds(chance.between(600, 36_000)) : ask.hold();
			return ask.with(LockTarget.of("long"), terms, hold);
		}

		private int anyOf(Chance chance, Setting setting) {
			return chance.between(0, setting.instances() - 1);
		}

		@Override
		List<Extra> extras() {
			return List.of();
		}
	};

	/** The number of locks for callers that acquire two of them. */
	static final int NESTED_NAMES = 3;

	/** The time between bursts of requests, in nanoseconds. */
	static final long BURST = 2_000_000_000;

	/**
	 * The longest lease of all scenarios except {@code LARGE}, with extensions and grace.
	 */
	private static final Duration LONGEST_LEASE = Duration.ofSeconds(22);

	private static final long MILLI = 1_000_000;

	/** With it, the fixed seeds of the tests reach everything. */
	private static final long APART = 3_000;

	private static final int LONGEST_MILLIS = 6_000;

	/**
	 * Return the scenarios to run with a seed when all scenarios are searched. Large
	 * schedules are used for one seed in eight, because they take much longer than
	 * others.
	 */
	static List<Scenario> dueFor(long seed) {
		return Stream.of(values()).filter((scenario) -> scenario != LARGE || seed % 8 == 0).toList();
	}

	/**
	 * Return the plan of a seed. What only some runs have is drawn apart, so that it does
	 * not change the others.
	 */
	Plan draw(long seed, Mistake mistake) {
		Chance chance = new Chance(seed);
		int millis = chance.between(500, LONGEST_MILLIS);
		Setting setting = mistake.setting(special(new Chance(~seed - APART), setting(chance)));
		Swarm swarm = Swarm.draw(chance);
		List<Step> steps = asks(chance, swarm, setting, millis);
		List<Fault> faults = new ArrayList<>(Swarm.weigh(chance, mistake.faults(faults())));
		if (setting.acknowledged()) {
			faults.add(Fault.LAGGING_REPLICA);
		}
		int strikes = chance.between(0, mostStrikes());
		for (int number = 0; number < strikes; number++) {
			steps.add(new Fault.Strike(chance.between(0L, millis * MILLI), chance.oneOf(faults), chance.nextSeed()));
		}
		long middle = millis * MILLI / 2;
		long gap = setting.gap().toNanos();
		steps.replaceAll((step) -> (step.at() < middle) ? step : step.later(gap));
		steps.sort(Comparator.comparingLong(Step::at));
		return new Plan(setting, steps, millis * MILLI + gap);
	}

	/**
	 * Draw all callers.
	 * @return a list that may be changed
	 */
	List<Step> asks(Chance chance, Swarm swarm, Setting setting, int millis) {
		List<Step> steps = new ArrayList<>();
		int asks = chance.between(3, mostAsks());
		for (int number = 0; number < asks; number++) {
			steps.add(
					ask(chance, swarm, chance.between(0L, millis * MILLI), chance.between(0, setting.instances() - 1)));
		}
		return steps;
	}

	abstract LockTarget target(Chance chance);

	static String anyName(Chance chance) {
		return String.valueOf((char) ('a' + chance.between(0, 3)));
	}

	Setting setting(Chance chance) {
		return Setting.USUAL.instances(chance.between(2, 4))
			.pooled(chance.oneIn(4))
			.commandTimeout(Duration.ofMillis(chance.between(300, 2_000)))
			.closeWait(chance.oneIn(2) ? Duration.ZERO : Duration.ofSeconds(1));
	}

	/**
	 * Return a setting with what only some runs have.
	 */
	Setting special(Chance chance, Setting setting) {
		return setting.acknowledged(faults().contains(Fault.FAILOVER) && chance.oneIn(8))
			.gap((setting.pooled() && chance.oneIn(4)) ? Duration.ofSeconds(chance.between(60, 100)) : Duration.ZERO);
	}

	int mostAsks() {
		return 9;
	}

	int mostStrikes() {
		return 5;
	}

	List<Fault> faults() {
		return Stream.of(Fault.values())
			.filter((fault) -> fault != Fault.FORCED_RELEASE && fault != Fault.ROLLING_RESTARTS
					&& fault != Fault.LAGGING_REPLICA && fault != Fault.LOST_EXPIRY)
			.toList();
	}

	Ask ask(Chance chance, Swarm swarm, long at, int instance) {
		Duration lease = Duration
			.ofMillis(chance.perMille(swarm.longLeases()) ? chance.between(5_000, 10_000) : chance.between(300, 3_000));
		Duration wait = chance.perMille(swarm.patient()) ? EveryoneServed.PATIENT : switch (chance.between(0, 2)) {
			case 0 -> Duration.ZERO;
			case 1 -> Duration.ofMillis(chance.between(1, 500));
			default -> Duration.ofMillis(chance.between(500, 5_000));
		};
		Duration hold = hold(chance);
		Ask.Face face = chance.perMille(swarm.blocking()) ? Ask.Face.BLOCKING : Ask.Face.ASYNC;
		Ask.Twist twist = chance.perMille(swarm.twisted()) ? twist(chance, face) : Ask.Twist.NONE;
		Duration after = Duration.ofMillis(
				chance.between(0, (int) ((twist == Ask.Twist.STOP_WAITING) ? 1_000 : Math.max(hold.toMillis(), 1))));
		Terms terms = Terms.of(lease, wait)
			.autoRenew(chance.perMille(swarm.renewed()))
			.retryDelay(Duration.ofMillis(chance.oneIn(2) ? 100 : chance.between(10, 500)));
		LockTarget target = target(chance);
		List<Extra> extras = extras().stream().filter((extra) -> extra.isFor(target)).toList();
		if (!extras.isEmpty() && chance.perMille(swarm.extra())) {
			Extra extra = chance.oneOf(extras);
			terms = extra.add(terms, chance);
			twist = (extra != Extra.AT_LEAST_FOR && twist.changesLease()) ? Ask.Twist.NONE : twist;
		}
		return new Ask(at, instance, target, terms, hold, face, twist, after);
	}

	List<Extra> extras() {
		return List.of(Extra.values());
	}

	Duration hold(Chance chance) {
		return Duration.ofMillis(chance.oneIn(3) ? chance.between(0, 5) : chance.between(5, 1_500));
	}

	Ask.Twist twist(Chance chance, Ask.Face face) {
		if (face == Ask.Face.BLOCKING && chance.oneIn(3)) {
			return chance.oneOf(List.of(Ask.Twist.INTERRUPT_AT_ANSWER, Ask.Twist.AGAIN));
		}
		return chance.oneOf(List.of(Ask.Twist.STOP_WAITING, Ask.Twist.EXTEND, Ask.Twist.RENEW, Ask.Twist.SHORTEN,
				Ask.Twist.VERIFY));
	}

	enum Extra {

		/** An explicit owner token, which other callers may share. */
		OWN_TOKEN {
			@Override
			Terms add(Terms terms, Chance chance) {
				return chance.oneIn(2) ? terms.owner("own/1", Duration.ofSeconds(1))
						: terms.owner("own/2", Duration.ofSeconds(6));
			}
		},

		NEVER_EXPIRES {
			@Override
			Terms add(Terms terms, Chance chance) {
				return terms.neverExpires();
			}
		},

		AT_LEAST_FOR {
			@Override
			Terms add(Terms terms, Chance chance) {
				return terms.atLeastFor(Duration.ofMillis(chance.between(10, 2_000)));
			}
		};

		/**
		 * Return whether a lock may have this option. For a shared lock, only the minimum
		 * hold is possible.
		 */
		boolean isFor(LockTarget target) {
			return this == AT_LEAST_FOR || !target.isShared();
		}

		abstract Terms add(Terms terms, Chance chance);

	}

}
