package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import io.github.redislock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * An owner that holds a lock on at least one server.
 *
 * @param owner the owner token
 * @param states the states that name this owner, one from each server
 */
record HolderByVotes(String owner, List<LockState> states) {

	/** All instances use this order, so that one of two competing owners gives way. */
	private static final Comparator<HolderByVotes> LEAST_FIRST = Comparator.comparingInt(HolderByVotes::votes)
		.thenComparing(HolderByVotes::owner, Comparator.reverseOrder());

	/**
	 * Return the owner with the most votes; in a tie, all instances choose the same one.
	 */
	static Optional<HolderByVotes> of(Collection<LockState> states) {
		return states.stream()
			.collect(Collectors.groupingBy(LockState::owner))
			.entrySet()
			.stream()
			.map((entry) -> new HolderByVotes(entry.getKey(), entry.getValue()))
			.max(LEAST_FIRST);
	}

	/**
	 * Return whether another owner has to give way to this one.
	 */
	boolean isAheadOf(String other, int itsVotes) {
		return votes() > itsVotes || (votes() == itsVotes && this.owner.compareTo(other) < 0);
	}

	int votes() {
		return this.states.size();
	}

	/**
	 * Return the state on which the servers agree.
	 * @param majority how many votes an owner needs to hold the lock
	 * @param unknown how many more votes this owner may have
	 */
	LockState state(int majority, int unknown) {
		List<Duration> lives = this.states.stream().map(LockState::freeIn).sorted(Comparator.reverseOrder()).toList();
		LockState usual = usual();
		return LockState.of(usual.name(), this.owner, lives.get(Math.min(majority, lives.size()) - 1),
				usual.fencingToken(), usual.lastFencingToken(), null, votes() + unknown >= majority, 1);
	}

	/**
	 * Return a state with the token that has the most votes, which is usually the agreed
	 * one. A server that granted the lock late may report another token.
	 */
	private LockState usual() {
		List<@Nullable Long> tokens = this.states.stream().<@Nullable Long>map(LockState::fencingToken).toList();
		return this.states.stream()
			.filter((state) -> state.fencingToken() != null)
			.max(Comparator.comparingInt((LockState state) -> Collections.frequency(tokens, state.fencingToken()))
				.thenComparing(LockState::fencingToken))
			.orElse(this.states.get(0));
	}

}
