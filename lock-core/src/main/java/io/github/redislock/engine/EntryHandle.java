package io.github.redislock.engine;

import java.lang.ref.Reference;
import java.time.Duration;

import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;

/**
 * What all that callers of asynchronous work are given of one entry has in common.
 */
abstract class EntryHandle implements EnteredLock {

	private final HoldHandle entry;

	private final OnLost onLost;

	EntryHandle(HoldHandle entry, OnLost onLost) {
		this.entry = entry;
		this.onLost = onLost;
	}

	@Override
	public final HoldHandle entry() {
		return this.entry;
	}

	@Override
	public abstract Reference<? extends EnteredLock> reference();

	@Override
	public final OnLost onLost() {
		return this.onLost;
	}

	@Override
	public final boolean isLost() {
		return !this.entry.isHeld() && !isOver() && !this.entry.verify();
	}

	@Override
	public final boolean isOver() {
		return this.entry.hasLeft();
	}

	@Override
	public final String name() {
		return this.entry.name();
	}

	@Override
	public final LockTarget target() {
		return this.entry.target();
	}

	@Override
	public final String owner() {
		return this.entry.owner();
	}

	@Override
	public final long fencingToken() {
		return this.entry.fencingToken();
	}

	@Override
	public final boolean isHeld() {
		return this.entry.isHeld();
	}

	@Override
	public final Duration remaining() {
		return this.entry.remaining();
	}

	@Override
	public final void onLost(Runnable action) {
		this.entry.onLost(action);
	}

	@Override
	public final String toString() {
		return this.entry.toString();
	}

}
