package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.redislock.LockState;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HolderByVotesTests {

	@Test
	void lockIsFreeAsSoonAsTheHolderHasNoMajority() {
		assertThat(freeIn(2, 9, 1)).isEqualTo(1);
		assertThat(freeIn(2, 1, 9, 5)).isEqualTo(5);
		assertThat(freeIn(3, 1, 9, 5)).isEqualTo(1);
	}

	@Test
	void lockOfAMinorityIsFreeWithItsFirstVote() {
		assertThat(freeIn(2, 9)).isEqualTo(9);
		assertThat(freeIn(3, 9, 4)).isEqualTo(4);
	}

	@Test
	void tokenOfTheMostServersIsReported() {
		assertThat(token(7L, 7L, 9L)).isEqualTo(7);
		assertThat(token(7L, 9L)).isEqualTo(9);
		assertThat(token(null, null, 7L)).isEqualTo(7);
		assertThat(token(null, null)).isNull();
	}

	private static @Nullable Long token(@Nullable Long... tokens) {
		List<LockState> votes = Stream.of(tokens)
			.map((each) -> LockState.of("job", "me", Duration.ofSeconds(9), each, each, null, true, 1))
			.toList();
		return HolderByVotes.of(votes).orElseThrow().state(2, 0).fencingToken();
	}

	/**
	 * Return in how many seconds a lock is free.
	 * @param seconds how long each vote lasts
	 */
	private static long freeIn(int majority, Integer... seconds) {
		List<LockState> votes = Stream.of(seconds)
			.map((each) -> LockState.of("job", "me", Duration.ofSeconds(each), 7L, 7L, null, true, 1))
			.toList();
		return HolderByVotes.of(votes).orElseThrow().state(majority, 0).freeIn().toSeconds();
	}

}
