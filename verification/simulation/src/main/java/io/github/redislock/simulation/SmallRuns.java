package io.github.redislock.simulation;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.redislock.LockTarget;
import io.github.redislock.simulation.redis.LuaScripts;
import org.jspecify.annotations.Nullable;

/**
 * All runs of two callers on two instances that want one lock, in every order of
 * deliveries, with at most one disturbance of a delivery.
 */
final class SmallRuns {

	private static final long MILLI = 1_000_000;

	private static final long SEED = 1;

	private final LuaScripts lua;

	private final Mistake mistake;

	private long count;

	SmallRuns(LuaScripts lua, Mistake mistake) {
		this.lua = lua;
		this.mistake = mistake;
	}

	/**
	 * Return how many runs there were so far.
	 */
	long count() {
		return this.count;
	}

	/**
	 * Run all plans.
	 * @return the first run that broke a promise, or {@code null}
	 */
	@Nullable Broken search() {
		Broken broken = search(false);
		return (broken != null) ? broken : search(true);
	}

	/**
	 * Run the plans with one kind of client.
	 * @param pooled see {@link Setting}
	 * @return the first run that broke a promise, or {@code null}
	 */
	@Nullable Broken search(boolean pooled) {
		return plans(pooled).map(this::search).filter((broken) -> broken != null).findFirst().orElse(null);
	}

	private @Nullable Broken search(Plan plan) {
		Orders orders = new Orders(plan.end());
		do {
			this.count++;
			Run.Result result = go(plan, orders, false);
			if (result.violation() != null) {
				orders.again();
				return new Broken(result.violation(), orders.toString(), go(plan, orders, true).story());
			}
		}
		while (orders.next());
		return null;
	}

	private Run.Result go(Plan plan, Orders orders, boolean told) {
		World world = new World(plan, SEED, this.mistake, this.lua, told);
		world.time().orderedBy(orders);
		return Run.go(world);
	}

	/**
	 * Both callers want the lock at once. The first one keeps it for a moment, or renews
	 * it. The second one waits until it gets it, or stops waiting.
	 */
	private Stream<Plan> plans(boolean pooled) {
		Setting setting = this.mistake.setting(Setting.USUAL.instances(2).commandTimeout(Duration.ofMillis(300)))
			.pooled(pooled);
		return Stream.of(plan(setting, 3, Ask.Twist.NONE), plan(setting, 3, Ask.Twist.STOP_WAITING),
				plan(setting, 700, Ask.Twist.NONE));
	}

	private static Plan plan(Setting setting, int hold, Ask.Twist twist) {
		return new Plan(setting, List.of(ask(0, hold, Ask.Twist.NONE), ask(1, 3, twist)), 1_000 * MILLI);
	}

	private static Ask ask(int instance, int hold, Ask.Twist twist) {
		return new Ask(instance * MILLI / 10, instance, LockTarget.of("hot"),
				Terms.of(Duration.ofMillis(600), EveryoneServed.PATIENT), Duration.ofMillis(hold), Ask.Face.ASYNC,
				twist, Duration.ofMillis(2));
	}

	/**
	 * A run that broke a promise.
	 *
	 * @param choices the choices of the run
	 */
	record Broken(Violation violation, String choices, List<String> story) {
	}

}
