package io.github.redislock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;

/**
 * Who uses which locks how, and what may go wrong.
 */
enum Scenario {

	/** One lock that all want. */
	HOT {
		@Override
		LockTarget target(Chance chance) {
			return LockTarget.of("hot");
		}
	},

	/** Some locks, each by itself. */
	MANY {
		@Override
		LockTarget target(Chance chance) {
			return LockTarget.of(anyName(chance));
		}
	},

	/** Several locks at once, and single ones of them. */
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
	},

	/** Readers, writers and permits. */
	SHARED {
		@Override
		LockTarget target(Chance chance) {
			String name = chance.oneIn(4) ? "other" : "shared";
			return switch (chance.between(0, 4)) {
				case 0, 1 -> LockTarget.read(name);
				case 2 -> LockTarget.permit(name, chance.between(1, 3));
				case 3 -> LockTarget.write(name);
				default -> LockTarget.of(name);
			};
		}

		@Override
		Ask.Twist twist(Chance chance) {
			return chance.oneIn(3) ? Ask.Twist.DOWNGRADE : super.twist(chance);
		}
	},

	/** Three or five servers, more than half of which decide. */
	QUORUM {
		@Override
		LockTarget target(Chance chance) {
			return chance.oneIn(6) ? LockTarget.allOf(LockTarget.of("hot"), LockTarget.of("other"))
					: LockTarget.of("hot");
		}

		@Override
		Setting setting(Chance chance) {
			return super.setting(chance).servers(chance.oneIn(3) ? 5 : 3)
				.commandTimeout(Duration.ofMillis(chance.between(200, 1_000)))
				.quarantine(LONGEST_LEASE);
		}

		@Override
		List<Fault> faults() {
			List<Fault> faults = new ArrayList<>(super.faults());
			// Its servers have no replicas.
			faults.remove(Fault.FAILOVER);
			return faults;
		}
	},

	/** Locks that are taken by force. */
	FORCE {
		@Override
		LockTarget target(Chance chance) {
			return chance.oneIn(6) ? LockTarget.read("hot") : LockTarget.of("hot");
		}

		@Override
		List<Fault> faults() {
			List<Fault> faults = new ArrayList<>(super.faults());
			for (int times = 0; times < super.faults().size(); times++) {
				faults.add(Fault.FORCED_RELEASE);
			}
			return faults;
		}
	};

	/** With the grace of one that was extended. */
	private static final Duration LONGEST_LEASE = Duration.ofSeconds(22);

	private static final long MILLI = 1_000_000;

	/** Drawn until here; what has begun goes on. */
	private static final int LONGEST_MILLIS = 6_000;

	/**
	 * Draw what happens in the world of a seed.
	 */
	Plan draw(Chance chance) {
		int millis = chance.between(500, LONGEST_MILLIS);
		List<Step> steps = new ArrayList<>();
		Setting setting = setting(chance);
		int asks = chance.between(3, 9);
		for (int number = 0; number < asks; number++) {
			steps.add(ask(chance, chance.between(0L, millis * MILLI), chance.between(0, setting.instances() - 1)));
		}
		List<Fault> faults = faults();
		int strikes = chance.between(0, 5);
		for (int number = 0; number < strikes; number++) {
			steps.add(new Fault.Strike(chance.between(0L, millis * MILLI), chance.oneOf(faults), chance.nextSeed()));
		}
		steps.sort(Comparator.comparingLong(Step::at));
		return new Plan(setting, steps, millis * MILLI);
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
	 * Return what may go wrong.
	 */
	List<Fault> faults() {
		return Stream.of(Fault.values()).filter((fault) -> fault != Fault.FORCED_RELEASE).toList();
	}

	Ask ask(Chance chance, long at, int instance) {
		Duration lease = Duration
			.ofMillis(chance.oneIn(3) ? chance.between(5_000, 10_000) : chance.between(300, 3_000));
		Duration wait = switch (chance.between(0, 4)) {
			case 0 -> Duration.ZERO;
			case 1 -> Duration.ofMillis(chance.between(1, 500));
			case 2 -> Duration.ofMillis(chance.between(500, 5_000));
			default -> EveryoneServed.PATIENT;
		};
		Duration hold = Duration.ofMillis(chance.oneIn(3) ? chance.between(0, 5) : chance.between(5, 1_500));
		Ask.Twist twist = chance.oneIn(3) ? twist(chance) : Ask.Twist.NONE;
		Duration after = Duration
			.ofMillis(chance.between(0, (int) ((twist == Ask.Twist.CANCEL) ? 1_000 : Math.max(hold.toMillis(), 1))));
		LockOptions options = LockOptions.timeout(lease)
			.waitTime(wait)
			.autoRenew(!chance.oneIn(4))
			.retryDelay(Duration.ofMillis(chance.oneIn(2) ? 100 : chance.between(10, 500)));
		return new Ask(at, instance, target(chance), options, lease, wait, hold, twist, after);
	}

	Ask.Twist twist(Chance chance) {
		return chance
			.oneOf(List.of(Ask.Twist.CANCEL, Ask.Twist.EXTEND, Ask.Twist.RENEW, Ask.Twist.SHORTEN, Ask.Twist.VERIFY));
	}

}
