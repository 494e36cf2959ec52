package io.github.redislock.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.redislock.redis.LuaScripts.Asker;
import io.github.redislock.testing.FencingTokens;
import io.github.redislock.testing.RedisServerExtension;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.redislock.redis.LuaScripts.CANCEL;
import static io.github.redislock.redis.LuaScripts.FENCE;
import static io.github.redislock.redis.LuaScripts.GONE;
import static io.github.redislock.redis.LuaScripts.GRANTS;
import static io.github.redislock.redis.LuaScripts.INBOX;
import static io.github.redislock.redis.LuaScripts.LOCK;
import static io.github.redislock.redis.LuaScripts.PLACES;
import static io.github.redislock.redis.LuaScripts.QUEUE;
import static io.github.redislock.redis.LuaScripts.WAITERS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests how the scripts share a lock and queue for it, with a real Redis.
 */
@ExtendWith(RedisServerExtension.class)
@Tag("promise-14")
class LuaSharedTests {

	private static final int ANY = Integer.MAX_VALUE;

	private final LuaScripts lua = new LuaScripts();

	@AutoClose
	private final RecordingInbox inbox = new RecordingInbox(INBOX);

	// acquiring

	@Test
	void allKeysExpireWithTheLongestLease() {
		this.lua.share(new Asker("a", "r1").timeToLive(60_000), ANY);
		this.lua.share(new Asker("b", "r2").timeToLive(10_000), ANY);

		assertThat(this.lua.get(LOCK)).isEqualTo("shared\t2\ta");
		assertAllExpireInAMinute();
		assertThat(this.lua.timeToLive(FENCE)).isBetween(52_000L, 62_500L);
	}

	@Test
	void ownerThatLooksLikeASharedLockIsNotMistakenForOne() {
		long token = this.lua.granted("shared orders/1", "r1");

		assertThat(this.lua.share(new Asker("a", "r2"), ANY)).startsWith(0L, "shared orders/1").endsWith(token, 0L);
		assertThat(this.lua.inspect("a").get(0)).isEqualTo("shared orders/1");
	}

	@Test
	void sharedLockThatHasLostItsExpiryStaysHeldUntilItIsRenewed() {
		this.lua.shared("a", "r1", ANY);
		this.lua.keys().forEach(this.lua.redis::persist);

		assertThat(this.lua.acquire("b", "r2")).startsWith(0L, "shared\t1\ta", -1L);
		assertThat(this.lua.places()).containsExactly("a");

		assertThat(this.lua.renewShared("a", 60_000)).isEqualTo(1);
		assertAllExpireInAMinute();
	}

	@Test
	void placeIsReleasedAlthoughTheQueueKeyHoldsForeignData() {
		this.lua.shared("a", "r1", ANY);
		this.lua.shared("b", "r2", ANY);
		this.lua.redis.opsForValue().set(QUEUE, "somebody's data");

		LuaScripts.refused(() -> this.lua.share(waiting("c", "r3"), ANY), "data of another type");
		assertThat(this.lua.timeToLive(QUEUE)).as("does not expire").isEqualTo(-1);
		assertThat(this.lua.places()).containsExactly("a", "b");
		assertThat(this.lua.releaseShared("a", "r1")).isEqualTo(1);
		assertThat(this.lua.places()).containsExactly("b");
		assertThat(this.lua.releaseShared("b", "r2")).isEqualTo(1);
		assertThat(this.lua.get(LOCK)).isNull();
	}

	@Test
	void placesWithoutTheLockKeyAreIgnored() {
		this.lua.shared("a", "r1", 1);
		this.lua.expire();

		this.lua.shared("b", "r2", 1);

		assertThat(this.lua.places()).containsExactly("b");
		assertThat(this.lua.renewShared("a", 60_000)).isZero();
	}

	@Test
	void grantsWithoutPlacesAreIgnored() {
		this.lua.shared("a", "r1", ANY);
		this.lua.redis.delete(PLACES);

		assertThat(this.lua.share(new Asker("a", "r1"), ANY)).startsWith(1L);
		assertThat(this.lua.places()).containsExactly("a");

		this.lua.redis.delete(List.of(PLACES, LOCK));
		assertThat(this.lua.share(new Asker("b", "r2"), ANY)).startsWith(1L);
		assertThat(this.lua.places()).containsExactly("b");
	}

	@Test
	void foreignDataIsNeitherSharedNorTouched() {
		this.lua.redis.opsForValue().set(LOCK, "somebody's data");
		assertThat(this.lua.share(new Asker("a", "r1"), ANY)).containsExactly(3L);
		assertThat(this.lua.releaseShared("a", "r1")).isZero();
		assertThat(this.lua.renewShared("a", 60_000)).isZero();
		assertThat(this.lua.get(LOCK)).isEqualTo("somebody's data");
		this.lua.redis.delete(LOCK);

		this.lua.redis.opsForList().leftPush(LOCK, "somebody's data");
		LuaScripts.refused(() -> this.lua.share(new Asker("a", "r1"), ANY), "data of another type");
		assertThat(this.lua.renewShared("a", 60_000)).isZero();
		assertThat(this.lua.keys()).containsExactly(LOCK);
	}

	@Test
	void fullMemoryRefusesNewPlacesButAllowsRenewalAndRelease() {
		this.lua.shared("a", "r1", 2);
		this.lua.shared("b", "r2", 2);

		this.lua.withFullMemory(() -> {
			LuaScripts.refused(() -> this.lua.share(new Asker("c", "r3"), 3), "Redis is out of memory");
			assertThat(this.lua.renewShared("a", 90_000)).isEqualTo(1);
			assertThat(this.lua.releaseShared("b", "r2")).isEqualTo(1);
			assertThat(this.lua.releaseShared("b", "r2")).isEqualTo(1);
		});

		assertThat(this.lua.places()).containsExactly("a");
		assertThat(this.lua.timeToLive(LOCK)).isBetween(80_000L, 90_000L);
	}

	// waiting

	@Test
	void waitingReadersEnterTogetherOnceTheFirstHasRetried() {
		this.lua.granted("writer/r1", "r1");
		this.lua.share(waiting("a", "r2"), ANY);
		this.lua.share(waiting("b", "r3"), ANY);
		this.lua.acquire(waiting("other", "r4"));
		this.lua.share(waiting("c", "r5"), ANY);

		assertThat(this.lua.release("writer/r1", "r1")).isEqualTo(1);

		assertThat(this.inbox.messages()).as("told to ask").containsExactly("r2 - 0");
		this.lua.share(waiting("a", "r2"), ANY);
		assertThat(this.lua.places()).containsExactlyInAnyOrder("a", "b");
		assertThat(this.inbox.messages()).containsExactly("r3 - " + this.lua.token());
		assertThat(this.lua.queue()).containsExactly("r4", "r5");
		assertThat(this.lua.release("writer/r1", "r1")).as("sent twice").isEqualTo(1);
	}

	@Test
	void placeGivenToAWaiterResetsTheExpiryOfTheQueue() {
		this.lua.shared("a", "r1", 1);
		this.lua.share(waiting("b", "r2"), 1);
		this.lua.share(waiting("c", "r3"), 1);
		this.lua.redis.expire(QUEUE, Duration.ofMinutes(1));

		this.lua.releaseShared("a", "r1");

		assertThat(this.lua.queue()).containsExactly("r3");
		assertThat(this.lua.timeToLive(QUEUE)).as("set anew").isBetween(1L, 4_000L);
	}

	@Test
	void readerPassesAnUnreachableWriterOfAnExpiredLock() {
		this.lua.granted("holder/r0", "r0");
		this.lua.acquire(new Asker("writer/r1", "r1").waitingAt(GONE));
		this.lua.expire();

		assertThat(this.lua.share(new Asker("a", "r2"), ANY)).startsWith(1L);

		assertThat(this.lua.queue()).containsExactly("r1");
	}

	@Test
	void expiredLockIsHandedToAnEarlierWriterBeforeAReader() {
		this.lua.granted("holder/r0", "r0");
		this.lua.acquire(waiting("writer/r1", "r1"));
		this.lua.expire();

		assertThat(this.lua.share(new Asker("a", "r2"), ANY)).startsWith(0L, "writer/r1");

		assertThat(this.lua.holder()).isEqualTo("writer/r1");
		assertThat(this.lua.places()).isEmpty();
	}

	@Test
	void withdrawalResetsTheExpiryOfTheQueueThatIsLeft() {
		this.lua.shared("a", "r1", 1);
		this.lua.share(waiting("b", "r2"), 1);
		this.lua.share(waiting("c", "r3"), 1);
		this.lua.redis.expire(QUEUE, Duration.ofMinutes(1));

		this.lua.withdrawShared("c", "r3");

		assertThat(this.lua.queue()).containsExactly("r2");
		assertThat(this.lua.timeToLive(QUEUE)).as("set anew").isBetween(1L, 4_000L);
	}

	@Test
	void sharerOfVersionTwoGetsAPlaceForItsClaim() {
		this.lua.shared("a", "r1", 1);
		long now = FencingTokens.next(Instant.now(), 0);
		this.lua.redis.opsForZSet().add(QUEUE, "r2", now);
		this.lua.redis.opsForHash().put(WAITERS, "r2", now + " 7 30000 *1 " + INBOX + " b");

		this.lua.releaseShared("a", "r1");

		assertThat(this.inbox.messages()).containsExactly("r2 7 " + this.lua.token());
		assertThat(this.lua.places()).containsExactly("b");
		assertThat(this.lua.timeToLive(PLACES)).isBetween(20_000L, Asker.CLAIM);
		assertThat(this.lua.keys()).doesNotContain(QUEUE, WAITERS);
	}

	@Test
	void waitingReadersAreAdmittedInBatchesOfAHundred() {
		this.lua.granted("writer", "r0");
		for (int reader = 1; reader <= 250; reader++) {
			this.lua.share(
					new Asker("o" + reader, "r" + reader).waitingAt(List.of(103, 203).contains(reader) ? INBOX : "-"),
					ANY);
		}
		// On a slow machine, they must not count as dead.
		this.lua.fallSilent(Duration.ofMinutes(-1));
		this.lua.redis.opsForHash().put(WAITERS, "r102", "1 7");
		this.lua.release("writer", "r0");

		assertThat(this.lua.share(new Asker("o1", "r1").waitingAt("-"), ANY)).startsWith(1L);
		assertThat(this.lua.places()).hasSize(101);
		assertThat(this.inbox.messages()).as("told to ask, since the one before is dead").containsExactly("r103 - 0");
		assertThat(this.lua.share(new Asker("o250", "r250").waitingAt("-"), ANY)).startsWith(0L);
		assertThat(this.lua.places()).hasSize(201);
		assertThat(this.inbox.messages()).last().isEqualTo("r203 - 0");
		assertThat(this.lua.share(new Asker("o250", "r250").waitingAt("-"), ANY)).startsWith(1L);
		assertThat(this.lua.places()).hasSize(249);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void unreachableWaiterIsPassedOverAndKeepsItsPlace(boolean withdrawn) {
		this.lua.shared("a", "r1", 1);
		this.lua.share(new Asker("b", "r2").waitingAt(GONE), 1);
		this.lua.share(waiting("c", "r3"), 1);

		assertThat(withdrawn ? this.lua.withdrawShared("a", "r1") : this.lua.releaseShared("a", "r1")).isOne();

		assertThat(this.lua.places()).containsExactly("c");
		assertThat(this.lua.queue()).containsExactly("r2");
		this.lua.releaseShared("c", "r3");
		assertThat(this.lua.get(LOCK)).isNull();
		assertThat(this.lua.share(new Asker("b", "r2").waitingAt(GONE), 1)).startsWith(1L);
	}

	@Test
	void unreachableWaiterIsPassedOverEvenAfterTheLockExpired() {
		this.lua.granted("holder", "r0");
		this.lua.share(new Asker("gone", "r1").waitingAt(GONE), ANY);
		Asker writer = new Asker("w", "r2").waitingAt("-");
		this.lua.acquire(writer);
		this.lua.expire();

		assertThat(this.lua.acquire(writer)).startsWith(1L);
	}

	@Test
	void requestForSeveralLocksWaitsForReaders() {
		LuaSeveralScripts several = new LuaSeveralScripts();
		this.lua.shared("a", "r1", ANY);
		this.lua.redis.rename(LOCK, LuaSeveralScripts.lock("y"));

		List<Object> reply = several.acquire("yz", waiting("me", "r2"));

		assertThat(reply).startsWith(0L, "shared\t1\ta").endsWith(1L);
		assertThat(several.owners("z")).containsExactly("-");
	}

	// releasing, withdrawing

	@Test
	void releaseOfAPlaceThatHasExpiredIsNotTakenForARelease() {
		this.lua.shared("a", "r1", ANY);
		this.lua.shared("b", "r2", ANY);
		this.lua.expirePlace("a");

		assertThat(this.lua.releaseShared("a", "r1")).isZero();
		assertThat(this.lua.places()).containsExactly("b");
	}

	@Test
	void secondCopyOfAReleaseIsKnownToTheHolderThatFollowed() {
		this.lua.shared("a", "r1", ANY);
		this.lua.acquire(waiting("writer/r2", "r2"));
		assertThat(this.lua.releaseShared("a", "r1")).isEqualTo(1);
		assertThat(this.lua.get(LOCK)).startsWith("writer/r2\t");
		this.lua.redis.delete(CANCEL + "r1");

		assertThat(this.lua.releaseShared("a", "r1")).isEqualTo(1);
		assertThat(this.lua.releaseShared("a", "r3")).isZero();
	}

	@Test
	void forceReleaseRemovesAllPlaces() {
		this.lua.shared("a", "r1", ANY);
		this.lua.shared("b", "r2", ANY);

		assertThat(this.lua.forceRelease()).isOne();

		assertThat(this.lua.keys()).containsExactly(FENCE);
	}

	@Test
	void withdrawalFreesTheLockIfItsLastPlaceHasExpired() {
		this.lua.shared("a", "r1", 1);
		this.lua.share(waiting("b", "r2"), 1);
		this.lua.expirePlace("a");

		this.lua.withdrawShared("b", "r2");

		assertThat(this.lua.get(LOCK)).isNull();
		assertThat(this.lua.places()).isEmpty();
	}

	// renewing and inspecting

	@Test
	void inspectReportsOneHolderAndTheNumberOfHolders() {
		long first = this.lua.shared("a", "r1", ANY);
		Object second = this.lua.share(new Asker("b", "r2").timeToLive(90_000), ANY).get(1);
		this.lua.acquire(waiting("writer", "r3"));

		assertThat(this.lua.inspect()).startsWith("b").endsWith(second, 1L, 2L, second);
		assertThat(this.lua.inspect("a")).startsWith("a").endsWith(first, 1L, 2L, first);
		assertThat(this.lua.inspect("c")).isEmpty();
		this.lua.expirePlace("a");
		assertThat(this.lua.inspect("a")).isEmpty();
		assertThat(this.lua.inspect()).endsWith(second, 1L, 1L, second);
	}

	@Test
	void placeWithABlockOfTokensFromAnEarlierVersionIsLikeAnyOtherPlace() {
		for (boolean released : List.of(true, false)) {
			long token = this.lua.shared("a", "r1", ANY);
			this.lua.redis.opsForHash().put(GRANTS, "a", token + "+33 r1");
			this.lua.redis.opsForValue().set(CANCEL + "r1", "downgraded");

			assertThat(this.lua.renewShared("a", 90_000)).isEqualTo(1);
			assertThat(this.lua.inspect()).startsWith("a").endsWith(token, 0L, 1L, token);
			assertThat(this.lua.acquire(waiting("a", "r1"))).as("late copy").containsExactly(2L);
			assertThat(this.lua.share(new Asker("a", "r2"), ANY)).containsExactly(1L, token);
			assertThat(this.lua.shared("b", "r3", ANY)).isGreaterThan(token);
			assertThat(released ? this.lua.releaseShared("a", "r1") : this.lua.withdrawShared("a", "r1")).isEqualTo(1);
			assertThat(this.lua.places()).containsExactly("b");
			assertThat(this.lua.releaseShared("b", "r3")).isEqualTo(1);
			assertThat(this.lua.get(LOCK)).isNull();
			this.lua.redis.delete(this.lua.keys());
		}
	}

	private void assertAllExpireInAMinute() {
		assertThat(List.of(LOCK, PLACES, GRANTS))
			.allSatisfy((key) -> assertThat(this.lua.timeToLive(key)).isBetween(50_000L, 60_000L));
	}

	private static Asker waiting(String owner, String request) {
		return new Asker(owner, request).waitingAt(INBOX);
	}

}
