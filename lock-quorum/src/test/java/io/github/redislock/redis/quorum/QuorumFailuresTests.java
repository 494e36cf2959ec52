package io.github.redislock.redis.quorum;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import io.github.redislock.LockException;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static java.time.Duration.ZERO;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a caller learns if three servers make no decision.
 */
@Tag("promise-quorum")
class QuorumFailuresTests {

	private static final LockTarget TARGET = ScriptedServer.TARGET;

	private static final String BEGIN = "Lock 'order:42': acquire failed: ";

	private final Quorum quorum = new Quorum(
			Stream.of("a", "b", "c").map((name) -> new ScriptedServer(name).node()).toList(), ZERO);

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			RETRY, BUG, REPLY    | 1 of 3 Redis nodes replied, and 2 are needed: a (no reply), b (bug)
			REPLY, REPLY, RETRY  | 2 of 3 Redis nodes replied, which is not enough to decide: c (no reply)
			""")
	void failureContainsTheReasonOfEachServer(String replies, String message) {
		LockException failure = failure(replies, false);

		assertThat(failure).hasMessage(BEGIN + message).cause().hasMessage(BEGIN + "no reply");
		assertThat(failure.getSuppressed()).extracting(Throwable::getMessage)
			.isEqualTo(message.contains("bug") ? List.of("bug") : List.of());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			REPLY, NEVER, RETRY    | true
			REPLY, REPLY, NEVER    | true
			NEVER, RETRY, RETRY    | true
			CONFLICT, RETRY, RETRY | true
			REPLY, NEVER, NEVER    | false
			NEVER, NEVER, RETRY    | false
			BUG, BUG, RETRY        | false
			""")
	void retryMayHelpIfAMajorityMayReply(String replies, boolean retryable) {
		assertThat(failure(replies, false)).isInstanceOfSatisfying(LockStoreException.class,
				(failure) -> assertThat(failure.isRetryable()).isEqualTo(retryable));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			RETRY, NEVER, RETRY    | false | false
			RETRY, NEVER, RETRY    | true  | true
			RETRY, CONFLICT, RETRY | false | false
			RETRY, LOST, RETRY     | false | true
			RETRY, BUG, RETRY      | false | true
			""")
	void outcomeIsUnknownIfAServerMayHaveCarriedOutTheRequest(String replies, boolean done, boolean unknown) {
		assertThat(failure(replies, done)).isInstanceOfSatisfying(LockStoreException.class,
				(failure) -> assertThat(failure.isOutcomeUnknown()).isEqualTo(unknown));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			CONFLICT, CONFLICT, CONFLICT
			REPLY, CONFLICT, CONFLICT
			RETRY, CONFLICT, CONFLICT
			REPLY, REPLY, CONFLICT
			""")
	void conflictThatNoOtherReplyOutweighsIsReported(String replies) {
		assertThat(failure(replies, false)).isInstanceOf(LockKeyConflictException.class);
	}

	/**
	 * Return the exception for the caller.
	 * @param replies the reply of each server
	 * @param done whether some servers may have carried out the request
	 */
	private LockException failure(String replies, boolean done) {
		List<Reply> each = Stream.of(replies.split(", ")).map(Reply::valueOf).toList();
		Map<QuorumNode, Throwable> failures = new LinkedHashMap<>();
		for (int index = 0; index < each.size(); index++) {
			if (each.get(index) != Reply.REPLY) {
				failures.put(this.quorum.nodes().get(index), each.get(index).failure());
			}
		}
		return QuorumFailures.of("acquire", TARGET, this.quorum, each.size() - failures.size(), failures, done);
	}

	private enum Reply {

		/** A reply. */
		REPLY,

		/** A failure that a retry may help. */
		RETRY,

		/** A failure that no retry helps. */
		NEVER,

		/** A failure of a request that may have been carried out. */
		LOST,

		/** A key of another program. */
		CONFLICT,

		/** An unexpected exception. */
		BUG;

		private Throwable failure() {
			return new CompletionException(switch (this) {
				case CONFLICT -> new LockKeyConflictException(TARGET, "order:42", "in use", null);
				case BUG -> new IllegalStateException("bug");
				default -> new LockStoreException(TARGET, BEGIN + "no reply", null, this != NEVER, this == LOST);
			});
		}

	}

}
