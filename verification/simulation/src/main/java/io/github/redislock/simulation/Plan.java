package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * What callers do and what goes wrong in one world. The seed determines the rest.
 *
 * @param setting what the world consists of
 * @param steps what happens
 * @param end when nothing goes wrong any more
 */
record Plan(Setting setting, List<Step> steps, long end) {

	Plan {
		steps = List.copyOf(steps);
	}

	/**
	 * Return the same plan without some steps.
	 * @param numbers of the steps, from 0
	 */
	Plan without(Set<Integer> numbers) {
		List<Step> left = new ArrayList<>();
		IntStream.range(0, this.steps.size())
			.filter((number) -> !numbers.contains(number))
			.forEach((number) -> left.add(this.steps.get(number)));
		return new Plan(this.setting, left, this.end);
	}

}
