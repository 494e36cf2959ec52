package io.github.redislock.simulation;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiPredicate;

import io.github.redislock.engine.LockTimer;
import io.github.redislock.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * A mistake that is built into a world on purpose, to show that the rules find it. Never
 * in the product: it changes what the product depends on.
 */
interface Mistake {

	/** No mistake. */
	Mistake NONE = new Mistake() {

		@Override
		public boolean isMistake() {
			return false;
		}

	};

	/**
	 * Return whether there is a mistake.
	 */
	default boolean isMistake() {
		return true;
	}

	/**
	 * Return what the server runs instead of a script.
	 */
	default String script(String name, String source) {
		return source;
	}

	/**
	 * Return what an instance receives instead of a server's reply.
	 */
	default @Nullable Object reply(String script, @Nullable Object reply) {
		return reply;
	}

	/**
	 * Return what an engine uses instead of its store.
	 */
	default LockStore store(LockStore store, Host host) {
		return store;
	}

	/**
	 * Return what an engine uses instead of its host's timer.
	 */
	default LockTimer timer(Host host) {
		return host;
	}

	/**
	 * Return what runs users' actions instead of a thread for each.
	 */
	default Executor actions(Host host) {
		return host;
	}

	/**
	 * Return a predicate on the script and arguments of each request: whether it never
	 * leaves one connection to a server. Called once for each connection.
	 */
	default BiPredicate<String, List<byte[]>> forgotten() {
		return (script, arguments) -> false;
	}

	/**
	 * Return the setting in which the mistake shows.
	 */
	default Setting setting(Setting setting) {
		return setting;
	}

	/**
	 * Return the faults to use, out of those of the scenario: with fewer faults, a
	 * mistake that only some of them reveal is found sooner.
	 */
	default List<Fault> faults(List<Fault> faults) {
		return faults;
	}

	/**
	 * Return a variant without the mistake that allows the same faults.
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
