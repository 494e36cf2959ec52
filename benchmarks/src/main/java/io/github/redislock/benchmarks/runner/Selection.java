package io.github.redislock.benchmarks.runner;

import java.util.List;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.contender.Contenders;

/**
 * The contenders that the user selected.
 *
 * @param names the names of contenders, or {@code limit} for the limits; an empty list
 * selects all contenders
 */
record Selection(List<String> names) {

	static final String LIMIT = "limit";

	Selection {
		names = List.copyOf(names);
		names.stream().filter((name) -> !name.equals(LIMIT)).forEach(Contenders::named);
	}

	List<Contender> of(Case chosen) {
		return chosen.contenders().stream().filter(this::isWanted).map(Contenders::named).toList();
	}

	private boolean isWanted(String name) {
		return this.names.isEmpty() || this.names.contains(name)
				|| (this.names.contains(LIMIT) && Contenders.isLimit(name));
	}

}
