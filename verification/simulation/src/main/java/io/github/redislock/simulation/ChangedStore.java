package io.github.redislock.simulation;

import java.util.List;
import java.util.function.BiFunction;

import io.github.redislock.store.LockStore;

/**
 * A mistake in the store that the engine uses.
 *
 * @param mistake creates the store with the mistake
 * @param faults the faults that reveal the mistake, or an empty list to use all faults
 */
record ChangedStore(BiFunction<LockStore, Host, LockStore> mistake, List<Fault> faults) implements Mistake {

	ChangedStore(BiFunction<LockStore, Host, LockStore> mistake, Fault... faults) {
		this(mistake, List.of(faults));
	}

	@Override
	public LockStore store(LockStore store, Host host) {
		return this.mistake.apply(store, host);
	}

	@Override
	public List<Fault> faults(List<Fault> all) {
		return this.faults.isEmpty() ? all : this.faults;
	}

}
