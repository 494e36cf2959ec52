package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Records the events of a world in a hash, which is the same for equal runs. On demand,
 * the events are also described in words.
 */
public final class Story {

	private static final long PRIME = 0x100000001b3L;

	private final VirtualTime time;

	private final boolean told;

	private final List<String> lines = new ArrayList<>();

	private long hash = 0xcbf29ce484222325L;

	Story(VirtualTime time, boolean told) {
		this.time = time;
		this.told = told;
	}

	/**
	 * Record an event.
	 * @param who the part of the world that the event affects
	 * @param trait distinguishes this event from others of the same kind
	 * @param words the description, created only if the story is recorded
	 */
	void tell(String who, long trait, Supplier<String> words) {
		this.hash = ((this.hash ^ this.time.now()) * PRIME ^ who.hashCode()) * PRIME ^ trait;
		this.hash = Long.rotateLeft(this.hash * PRIME, 23);
		if (this.told) {
			this.lines.add("%10.3f ms  %-7s %s".formatted(this.time.now() / 1e6, who, words.get()));
		}
	}

	long hash() {
		return this.hash;
	}

	List<String> lines() {
		return List.copyOf(this.lines);
	}

}
