package io.github.redislock.simulation;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiPredicate;

import io.github.redislock.LockTimer;
import io.github.redislock.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * A mistake that is built into a world on purpose, to show that the rules find it. It
 * never changes the code of the library, only what the library depends on.
 */
interface Mistake {

	Mistake NONE = new Mistake() {

		@Override
		public boolean isMistake() {
			return false;
		}

	};

	default boolean isMistake() {
		return true;
	}

	default String script(String name, String source) {
		return source;
	}

	default @Nullable Object reply(String script, @Nullable Object reply) {
		return reply;
	}

	default LockStore store(LockStore store, Host host) {
		return store;
	}

	default LockTimer timer(Host host) {
		return host;
	}

	/**
	 * Return the executor that runs users' actions on losses instead of the engine's own
	 * threads.
	 */
	default Executor actions(Host host) {
		return host;
	}

	/**
	 * Return a predicate that decides by script and arguments which requests are never
	 * sent. Called once for each instance and server.
	 */
	default BiPredicate<String, List<byte[]>> forgotten() {
		return (script, arguments) -> false;
	}

	default Setting setting(Setting setting) {
		return setting;
	}

	/**
	 * Return how many replicas have to acknowledge a grant in a world where one has to.
	 */
	default int minAcks() {
		return 1;
	}

	/**
	 * Return which faults of the scenario to use. A mistake that only some faults can
	 * reveal is found sooner without the others.
	 */
	default List<Fault> faults(List<Fault> faults) {
		return faults;
	}

	/**
	 * Return a variant without the mistake, but with the same setting and faults.
	 */
	default Mistake mended() {
		Mistake planted = this;
		return new Mistake() {

			@Override
			public List<Fault> faults(List<Fault> faults) {
				return planted.faults(faults);
			}

			@Override
			public Setting setting(Setting setting) {
				return planted.setting(setting);
			}

			@Override
			public boolean isMistake() {
				return false;
			}

		};
	}

}
