package io.github.redislock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

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
	};

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
		return List.of(Fault.values());
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
