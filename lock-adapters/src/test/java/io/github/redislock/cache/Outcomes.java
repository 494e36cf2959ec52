package io.github.redislock.cache;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.LockTarget;

/**
 * Records how misses end.
 */
final class Outcomes implements LoadOnceListener {

	private final List<Outcome> all = new CopyOnWriteArrayList<>();

	@Override
	public void missed(LockTarget lock, Outcome outcome) {
		this.all.add(outcome);
	}

	List<Outcome> all() {
		return this.all;
	}

	int count(Outcome outcome) {
		return Collections.frequency(this.all, outcome);
	}

}
