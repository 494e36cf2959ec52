package io.github.redislock.simulation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Runs users' actions on losses one after the other, and takes seconds for each.
 */
final class SlowActions implements Mistake {

	private static final Duration LONG = Duration.ofSeconds(5);

	@Override
	public Executor actions(Host host) {
		Deque<Runnable> waiting = new ArrayDeque<>();
		return new Executor() {

			private boolean busy;

			@Override
			public void execute(Runnable action) {
				waiting.add(action);
				if (!this.busy) {
					next();
				}
			}

			private void next() {
				Runnable action = waiting.poll();
				this.busy = action != null;
				if (action != null) {
					host.execute(action);
					host.schedule(this::next, LONG);
				}
			}

		};
	}

	@Override
	public List<Fault> faults(List<Fault> all) {
		return List.of(Fault.SILENCE_TO_SERVER, Fault.SILENCE_TO_CLIENT, Fault.PAUSED_REDIS, Fault.FLUSHED_REDIS);
	}

}
