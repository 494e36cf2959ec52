package io.github.redislock.simulation;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BiPredicate;

import io.github.redislock.engine.LockTimer;
import io.github.redislock.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * A mistake that is built into a world on purpose, so that its rules can be seen to find
 * it. Never in the product: it changes what the product is made of.
 */
interface Mistake {

	/** All is as it should be. */
	Mistake NONE = new Mistake() {

		@Override
		public boolean isMistake() {
			return false;
		}

	};

	/**
	 * Return whether anything is wrong.
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
	 * Return what an instance is told instead of the reply of a server.
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
	 * Return what an engine uses instead of the timer of its host.
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
	 * Return what tells of each question, by its script and arguments, whether it never
	 * leaves one way to a server. Asked for once for each way.
	 */
	default BiPredicate<String, List<byte[]>> forgotten() {
		return (script, arguments) -> false;
	}

	/**
	 * Return in which setting the mistake comes to light, if not in each.
	 */
	default Setting setting(Setting setting) {
		return setting;
	}

	/**
	 * Return what may go wrong, of what a scenario lets go wrong: a mistake that only
	 * some faults bring to light is found sooner among them.
	 */
	default List<Fault> faults(List<Fault> faults) {
		return faults;
	}

	/**
	 * Return a world in which the same goes wrong, without the mistake.
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
