package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.AcquireRequest.Attempt;
import io.github.redislock.store.RenewRequest;
import io.lettuce.core.RedisCommandExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests which scripts a store sends, with which limits, and how it reads the replies.
 * Runs in virtual time without a Redis.
 */
class RedisLockStoreRequestsTests {

	private static final RedisLockStoreOptions OPTIONS = RedisLockStoreOptions.defaults();

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final LockTarget JOB = LockTarget.of("job");

	private static final LockTarget SEVERAL = LockTarget.allOf(JOB, LockTarget.of("other"));

	private static final AcquireRequest FIRST = request(JOB, MINUTE, 1);

	private static final AcquireRequest AGAIN = FIRST.sentAs(ScriptedRedis.LATER);

	@AutoClose
	private final ScriptedRedis redis = new ScriptedRedis();

	private final RedisLockStore store = this.redis.store(OPTIONS, false, false, false);

	@ParameterizedTest
	@MethodSource("requests")
	void shorterScriptIsUsedForFirstRequestsOfExclusiveLocks(String script, AcquireRequest request) {
		this.store.acquire(request);

		assertThat(this.redis.scripts()).containsExactly(script);
	}

	static Stream<Arguments> requests() {
		return Stream.of(arguments("take", FIRST), arguments("acquire", AGAIN),
				arguments("acquire-shared", request(JOB.forReading(), MINUTE, 1)),
				arguments("acquire-all", request(SEVERAL, MINUTE, 1)), arguments("acquire", request(JOB, null, 1)),
				arguments("acquire", new AcquireRequest(JOB, "me", "r1", MINUTE)),
				// More than two microseconds per token.
				arguments("acquire", request(JOB, Duration.ofMillis(2), 1_000)),
				arguments("take", request(JOB, Duration.ofMillis(2).plusNanos(1), 1_000)));
	}

	@Test
	void shorterScriptIsNotUsedInAQuorumNorWithAQuarantineOrReplicas() {
		Stream
			.of(this.redis.store(OPTIONS, false, false, true),
					this.redis.store(OPTIONS.coldStartQuarantine(MINUTE), false, false, false),
					this.redis.store(OPTIONS.minAcks(1), false, false, false))
			.forEach((store) -> store.acquire(FIRST));

		assertThat(this.redis.scripts()).hasSize(3).containsOnly("acquire");
	}

	@Test
	void shorterScriptIsNotUsedIfRequestsAreRepeated() {
		this.redis.repeatRequests();

		this.store.acquire(FIRST);

		assertThat(this.redis.scripts()).containsExactly("acquire");
	}

	@Test
	void shorterScriptIsNotUsedForALockThatWasJustContended() {
		this.store.acquire(FIRST);
		this.redis.last().reply().complete(0L);

		this.store.acquire(FIRST);
		this.redis.timer().advance(Duration.ofSeconds(1));
		this.store.acquire(FIRST);

		assertThat(this.redis.scripts()).containsExactly("take", "acquire", "acquire", "take");
	}

	/**
	 * The first attempt may wait until a connection is open, unless its caller waits long
	 * enough for another one. Later attempts may wait as long as their callers.
	 */
	@ParameterizedTest
	@CsvSource({ "false, true, 1999, 5000", "false, true, 2000, 2000", "false, true, 3000, 2000",
			"true, true, 1999, 5000", "true, true, 2000, 2000", "true, true, 3000, 3000", "true, false, 1999, 1999" })
	void requestWaitsToBeSent(boolean shared, boolean first, long patience, long expected) {
		this.store.acquire(request(shared ? JOB.forReading() : JOB, MINUTE, 1)
			.sentAs(new Attempt(1, Duration.ofMillis(patience), first)));

		assertThat(this.redis.last().sendTimeout()).hasMillis(expected);
	}

	@ParameterizedTest
	@CsvSource({ "0, 1", "-1, 2" })
	void shorterScriptIsEnoughForARefusalUnlessTheLockNeverExpires(long rest, int scripts) {
		this.store.acquire(FIRST);

		this.redis.last().reply().complete(("you/r2\t33\t7\t" + rest).getBytes(StandardCharsets.UTF_8));

		assertThat(this.redis.scripts()).hasSize(scripts);
	}

	@Test
	void requestHasAnArgumentForTheQuarantineOnlyIfThereIsOne() {
		String counted = "1";

		this.store.acquire(AGAIN);
		assertThat(this.redis.last().arguments()).endsWith(counted);

		this.redis.store(OPTIONS.coldStartQuarantine(Duration.ofHours(1)), false, false, false).acquire(AGAIN);
		assertThat(this.redis.last().arguments()).endsWith(counted, "3600000");
	}

	@Test
	void replicasHaveToAcknowledgeOnlyGrantsAndRenewals() {
		this.store.acquire(AGAIN);
		assertThat(this.redis.last().written()).accepts(List.of(1L, 7L)).rejects(List.of(0L));

		this.store.yieldAndAcquire(FIRST, FIRST);
		assertThat(this.redis.last().written()).accepts(List.of(1L, 1L, 7L)).rejects(List.of(1L, 0L));

		this.store.renew(List.of(new RenewRequest(JOB, "me/r1", MINUTE)));
		assertThat(this.redis.last().written()).accepts(List.of(0L, 1L)).rejects(List.of(0L));
	}

	@Test
	void holderThatIsAnotherProgramSendsNoMessageAndHasNoToken() {
		this.store.status(true);
		this.redis.subscriptions().get(0).subscribed();

		AcquireReply.Held foreign = this.redis.refuse(this.store, "3f2a77", 5_000);
		assertThat(foreign.notified()).isFalse();
		assertThat(foreign.holder()).extracting(LockState::fencingToken, LockState::lastFencingToken)
			.containsExactly(null, null);

		AcquireReply.Held ours = this.redis.refuse(this.store, "you/r2\t33\t7", -1);
		assertThat(ours.notified()).isTrue();
		assertThat(ours.holder()).extracting(LockState::fencingToken, LockState::held, LockState::neverExpires)
			.containsExactly(7L, true, true);
	}

	@ParameterizedTest
	@CsvSource({ "true, false, 0", "true, true, 60000", "false, false, 60000" })
	void withdrawnRequestIsRefusedOnlyWhileACopyMayArrive(boolean replied, boolean repeated, String refuseFor) {
		if (repeated) {
			this.redis.repeatRequests();
		}

		this.store.withdraw(FIRST, Duration.ZERO, replied);

		assertThat(this.redis.last().arguments().get(1)).isEqualTo(refuseFor);
	}

	@Test
	void releaseOfAKeyThatIsNotALockFailsOnlyForSeveralLocks() {
		CompletableFuture<Boolean> one = this.store.release(FIRST, Duration.ZERO).toCompletableFuture();
		this.redis.last().reply().completeExceptionally(wrongType());
		CompletableFuture<Boolean> several = this.store.release(request(SEVERAL, MINUTE, 1), Duration.ZERO)
			.toCompletableFuture();
		this.redis.last().reply().completeExceptionally(wrongType());

		assertThat(one).isCompletedWithValue(false);
		assertThat(several).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockKeyConflictException.class);
	}

	@ParameterizedTest
	@CsvSource({ "false, 1", "true, 0" })
	void receiversAreCountedOutsideAClusterOnly(boolean clustered, String flag) {
		this.redis.store(OPTIONS, clustered, false, false).release(FIRST, Duration.ZERO);

		assertThat(this.redis.last().arguments()).endsWith(flag);
	}

	@Test
	void checkOfASharedLockIsNotSentAsARenewal() {
		this.store.renew(List.of(new RenewRequest(JOB.forReading(), "me/r1", null),
				new RenewRequest(LockTarget.of("other").forReading(), "me/r2", MINUTE)));

		assertThat(this.redis.scripts()).containsExactly("inspect", "renew-shared");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void renewalSubscribesOnlyIfHoldersListen(boolean listensWhileHolding) {
		this.redis.store(OPTIONS, false, listensWhileHolding, false)
			.renew(List.of(new RenewRequest(JOB, "me/r1", MINUTE)));

		assertThat(this.redis.subscriptions()).hasSize(listensWhileHolding ? 1 : 0);
	}

	@Test
	void onlyAClusterSplitsSeveralLocksBySlot() {
		assertThat(this.store.groups(SEVERAL)).containsExactly(SEVERAL);
		assertThat(this.redis.store(OPTIONS, true, false, false).groups(SEVERAL))
			.containsExactlyInAnyOrderElementsOf(SEVERAL.each());
	}

	@Test
	void closedStoreClosesItsConnection() {
		this.store.close();

		assertThat(this.redis.isClosed()).isTrue();
	}

	private static AcquireRequest request(LockTarget target, @Nullable Duration timeToLive, int tokens) {
		return new AcquireRequest(target, "me/r1", "r1", timeToLive, tokens, null);
	}

	private static RuntimeException wrongType() {
		return new RedisCommandExecutionException("WRONGTYPE Operation against a key holding the wrong kind of value");
	}

}
