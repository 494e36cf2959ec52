package io.github.redislock.simulation;

import java.util.List;
import java.util.Set;

import io.github.redislock.simulation.redis.LuaScripts;
import org.jspecify.annotations.Nullable;

/**
 * A run of the world that a seed determines.
 *
 * @param seed the seed of all random numbers
 * @param scenario determines which callers use which locks
 * @param mistake the mistake that is built in on purpose
 * @param without the steps of the plan to leave out
 */
record Run(long seed, Scenario scenario, Mistake mistake, Set<Integer> without) {

	Run(long seed, Scenario scenario) {
		this(seed, scenario, Mistake.NONE, Set.of());
	}

	/**
	 * Return the plan, including the steps that this run leaves out.
	 */
	Plan wholePlan() {
		return this.scenario.draw(this.seed, this.mistake);
	}

	Plan plan() {
		return wholePlan().without(this.without);
	}

	Result go(LuaScripts lua, boolean told) {
		return go(new World(plan(), this.seed, this.mistake, lua, told));
	}

	static Result go(World world) {
		Violation violation = null;
		try (world) {
			LoggedErrors.of(world);
			world.run();
		}
		catch (Violation ex) {
			violation = ex;
		}
		finally {
			LoggedErrors.of(null);
		}
		world.states().seen().forEach((state) -> world.counts().count("state: " + state));
		return new Result(violation, world.story().hash(), world.time().steps(), world.counts(), world.story().lines());
	}

	/**
	 * Run the world, and record a trace for the model of the hand-over.
	 */
	HandOverTrace.Recorded trace(LuaScripts lua) {
		World world = new World(plan(), this.seed, this.mistake, lua, false);
		HandOverTrace trace = new HandOverTrace(world);
		world.watchedBy(trace);
		try (world) {
			world.run();
		}
		catch (Violation ex) {
			// The trace is written even if a promise is broken.
		}
		return trace.recorded();
	}

	/**
	 * The result of a run.
	 *
	 * @param violation the promise that was broken, or {@code null}
	 * @param hash a hash of the events, which is the same for equal runs
	 */
	record Result(@Nullable Violation violation, long hash, long steps, Counts counts, List<String> story) {
	}

}
