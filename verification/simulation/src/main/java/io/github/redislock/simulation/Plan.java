package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The calls and faults in one world. The seed determines everything else.
 *
 * @param setting the parts of the world
 * @param steps the calls and faults
 * @param end when the world ends its faults, in nanoseconds since it began
 */
record Plan(Setting setting, List<Step> steps, long end) {

	Plan {
		steps = List.copyOf(steps);
	}

	Plan without(Set<Integer> numbers) {
		List<Step> left = new ArrayList<>();
		IntStream.range(0, this.steps.size())
			.filter((number) -> !numbers.contains(number))
			.forEach((number) -> left.add(this.steps.get(number)));
		return new Plan(this.setting, left, this.end);
	}

}
