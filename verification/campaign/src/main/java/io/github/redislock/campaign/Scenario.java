package io.github.redislock.campaign;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.github.redislock.campaign.nemesis.Fault;

/**
 * Which locks stand which faults, and what has to come of it.
 */
enum Scenario {

	/** The library, and everything that may go wrong. */
	MAIN(true, EnumSet.allOf(Fault.class)),

	/** Control: the lock that everybody writes once. */
	NAIVE(false, EnumSet.of(Fault.FREEZE_PROCESS, Fault.PARTITION)),

	/** Control: a Redis that forgets everything when it crashes. */
	WIPED(false, EnumSet.of(Fault.KILL_REDIS)),

	/** The same, with the option that is there for it. */
	QUARANTINE(true, EnumSet.of(Fault.KILL_REDIS)),

	/** Control: steps of the server's clock that are longer than the grace. */
	CLOCK(false, EnumSet.of(Fault.STEP_CLOCK));

	private static final Duration LEASE = Duration.ofSeconds(1);

	private final boolean holds;

	private final Set<Fault> faults;

	Scenario(boolean holds, Set<Fault> faults) {
		this.holds = holds;
		this.faults = faults;
	}

	String label() {
		return name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Return whether locks must keep their promises here; otherwise they must be seen to
	 * break them.
	 */
	boolean holds() {
		return this.holds;
	}

	List<Fault> faults() {
		return List.copyOf(this.faults);
	}

	boolean naive() {
		return this == NAIVE;
	}

	Duration lease() {
		return LEASE;
	}

	/**
	 * Return how long a lock stays in Redis when nobody lets go of it.
	 */
	Duration leaseAndGrace() {
		return LEASE.plusMillis(100);
	}

	/**
	 * Return how long a Redis that has lost its data gives no locks.
	 */
	Duration quarantine() {
		// Whoever asks for more at a renewal is under its protection, too.
		return (this == QUARANTINE) ? Duration.ofMillis(1_600) : Duration.ZERO;
	}

	/**
	 * Return the shortest time between two faults.
	 */
	Duration calm() {
		return (this == QUARANTINE) ? quarantine().plusMillis(500) : Duration.ofMillis(150);
	}

	boolean persistent() {
		return this != WIPED && this != QUARANTINE;
	}

	/**
	 * Return how far the server's clock steps at most. The grace is 100 ms.
	 */
	Duration clockStep() {
		return Duration.ofMillis((this == CLOCK) ? 4_000 : 80);
	}

	static Scenario named(String label) {
		return Arrays.stream(values())
			.filter((scenario) -> scenario.label().equals(label))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("No control is called '" + label + "'"));
	}

}
