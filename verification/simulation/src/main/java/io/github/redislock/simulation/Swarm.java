package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * The character of a run: how many callers do what, per mille. Bugs that need many
 * callers of one kind are hardly ever reached if all runs have the same mixture.
 *
 * @param longLeases with a lease of several seconds
 * @param patient waiting until they get the lock
 * @param blocking blocking a thread
 * @param twisted doing something besides
 * @param renewed whose lease is renewed
 * @param extra with an unusual option
 */
record Swarm(int longLeases, int patient, int blocking, int twisted, int renewed, int extra) {

	static Swarm draw(Chance chance) {
		return new Swarm(share(chance, 333), share(chance, 400), share(chance, 500), share(chance, 333),
				share(chance, 750), share(chance, 125));
	}

	/**
	 * Return faults of which some happen more often than others, and some not at all.
	 * @param all the faults of the scenario
	 */
	static List<Fault> weigh(Chance chance, List<Fault> all) {
		List<Fault> weighed = new ArrayList<>();
		for (Fault fault : all) {
			for (int times = chance.oneIn(3) ? 0 : chance.oneIn(4) ? 5 : 1; times > 0; times--) {
				weighed.add(fault);
			}
		}
		return weighed.isEmpty() ? all : weighed;
	}

	private static int share(Chance chance, int usual) {
		return chance.oneIn(2) ? usual : chance.between(0, 1_000);
	}

}
