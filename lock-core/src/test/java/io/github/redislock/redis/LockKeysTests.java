package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.Effort;
import io.lettuce.core.cluster.SlotHash;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LockKeysTests {

	private static final int NAMES = Effort.of(300, 1_000);

	private static final String PREFIX = "distributed_lock:";

	private final LockKeys keys = new LockKeys(PREFIX);

	@ParameterizedTest
	@CsvSource({ "order:42, {distributed_lock:order:42}:fence, {distributed_lock:order:42}:cancel:r1",
			"{u7}:cart, {u7}:fence:distributed_lock:{u7}:cart, {u7}:cancel:r1:distributed_lock:{u7}:cart",
			"}{u7}:cart, {u7}:fence:distributed_lock:}{u7}:cart, {u7}:cancel:r1:distributed_lock:}{u7}:cart",
			"a{b, {distributed_lock:a{b}:fence, {distributed_lock:a{b}:cancel:r1" })
	void stateKeysStartWithTheHashTagOfTheLockKey(String name, String fence, String cancel) {
		LockTarget target = LockTarget.of(name);

		assertThat(text(this.keys.lock(target))).isEqualTo(PREFIX + name);
		assertThat(text(this.keys.of(target, LockKeys.FENCE).get(1))).isEqualTo(fence);
		assertThat(text(this.keys.withdrawn(target, "r1"))).isEqualTo(cancel);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "{tag}:", "lock:", "}{", "{}" })
	void keysOfALockShareOneSlotAndLocksShareNoKey(String prefix) {
		LockKeys keys = new LockKeys(prefix);
		Set<String> names = randomNames();
		Set<String> seen = new HashSet<>();

		assertThat(names).hasSize(NAMES).allSatisfy((name) -> {
			LockTarget target = LockTarget.of(name);
			List<byte[]> all = new ArrayList<>(List.of(keys.lock(target), keys.withdrawn(target, "r2")));
			all.addAll(stateKeys(keys, target));
			assertThat(text(all.get(0))).isEqualTo(prefix + name);
			// Computed independently by two libraries.
			assertThat(all).extracting(SlotHash::getSlot).containsOnly(SlotHash.getSlot(all.get(0)));
			assertThat(all).extracting(ClusterSlotHashUtil::calculateSlot).containsOnly(SlotHash.getSlot(all.get(0)));
			assertThat(all).allSatisfy((key) -> assertThat(seen.add(text(key))).as(text(key)).isTrue());
		});
	}

	/**
	 * The slots according to CLUSTER KEYSLOT: a 15994, b 3609, c 7736, d 11999, {user7}
	 * 16236.
	 */
	@Test
	void locksAreGroupedBySlotInSlotOrder() {
		assertThat(groups("a", "b", "c", "d")).containsExactly("b", "c", "d", "a");
		assertThat(groups("{user7}:cart", "a", "{user7}:address", "c")).containsExactly("c", "a",
				"{user7}:address+{user7}:cart");
	}

	private static List<byte[]> stateKeys(LockKeys keys, LockTarget target) {
		return List.of(keys.of(target, LockKeys.FENCE).get(1), keys.of(target, LockKeys.QUEUE).get(1),
				keys.of(target, LockKeys.WAITERS).get(1), keys.withdrawn(target, "r1"));
	}

	private List<String> groups(String... names) {
		return this.keys.groupsOfOneSlot(LockTarget.allOf(Stream.of(names).map(LockTarget::of).toList()))
			.stream()
			.map((group) -> group.each().stream().map(LockTarget::name).collect(Collectors.joining("+")))
			.toList();
	}

	private static Set<String> randomNames() {
		Random random = new Random(42);
		String alphabet = "{}ab:é";
		Set<String> names = new HashSet<>();
		while (names.size() < NAMES) {
			names.add(IntStream.range(0, 3 + random.nextInt(8))
				.mapToObj((i) -> alphabet.substring(random.nextInt(6)).substring(0, 1))
				.collect(Collectors.joining()));
		}
		return names;
	}

	private static String text(byte[] key) {
		return new String(key, StandardCharsets.UTF_8);
	}

	@Test
	void channelHasNoBlanksEvenIfThePrefixDoes() {
		// The scripts separate the fields of a waiter by blanks.
		assertThat(new LockKeys("my\tshop locks:").inbox("0-1")).isEqualTo("my_shop_locks:inbox:0-1");
	}

	@Test
	void nameIsEncodedInUtf8() {
		assertThat(this.keys.lock(LockTarget.of("ключ"))).isEqualTo((PREFIX + "ключ").getBytes(StandardCharsets.UTF_8));
	}

	@ParameterizedTest
	@CsvSource({ "'', {x}:fence", "'', {x}:queue", "'', {x}:waiters", "'', {x}:cancel:r1", "'', {}:since",
			"'', {u}:fence:a{u}", "'', {9325}:fence:distributed_lock:a}b", "{, {x}:fence", "{t}:, queue:{t}:x",
			"{t}:, cancel:r1:{t}:x" })
	void nameCollidingWithAnotherLocksStateIsRejected(String prefix, String name) {
		LockTarget target = LockTarget.of(name);

		assertThatExceptionOfType(LockKeyConflictException.class).isThrownBy(() -> new LockKeys(prefix).lock(target))
			.satisfies((conflict) -> assertThat(conflict.getKey()).isEqualTo(prefix + name))
			.withMessage("Lock '%s': its key '%s' is where Redis Lock keeps the state of other locks: use another name,"
				.formatted(name, prefix + name) + " or a redis-lock.key-prefix that does not begin with a brace");
	}

	@ParameterizedTest
	@CsvSource({ "distributed_lock:, {x}:fence", "{t}:, queue", "{t}:, queue:mail", "'', {x}:fences", "'', {x}fence",
			"'', fence", "'', {}:fence", "'', {x}:cancel", "'', {x}:fence:y" })
	void nameResemblingAStateKeyIsAccepted(String prefix, String name) {
		assertThat(text(new LockKeys(prefix).lock(LockTarget.of(name)))).isEqualTo(prefix + name);
	}

	@Test
	void locksWithTheSameHashCodeHaveDifferentKeys() {
		assertThat("Aa").hasSameHashCodeAs("BB");

		assertThat(this.keys.of(LockTarget.of("Aa"), LockKeys.FENCE, LockKeys.QUEUE)).extracting(LockKeysTests::text)
			.containsExactly("distributed_lock:Aa", "{distributed_lock:Aa}:fence", "{distributed_lock:Aa}:queue");
		assertThat(this.keys.of(LockTarget.of("BB"), LockKeys.FENCE, LockKeys.QUEUE)).extracting(LockKeysTests::text)
			.containsExactly("distributed_lock:BB", "{distributed_lock:BB}:fence", "{distributed_lock:BB}:queue");
		assertThat(text(this.keys.withdrawn(LockTarget.of("Aa"), "r1"))).isEqualTo("{distributed_lock:Aa}:cancel:r1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "{", "{t}:", "{t}", "}{", "lock:" })
	void noLockKeyIsTheStateKeyOfAnotherLock(String prefix) {
		LockKeys keys = new LockKeys(prefix);
		Stream<byte[]> state = randomNames().stream().flatMap((name) -> stateKeys(keys, LockTarget.of(name)).stream());

		assertThat(state.map(LockKeysTests::text)).isNotEmpty().allSatisfy((key) -> {
			if (key.startsWith(prefix) && !key.equals(prefix)) {
				LockTarget target = LockTarget.of(key.substring(prefix.length()));
				assertThatExceptionOfType(LockKeyConflictException.class).isThrownBy(() -> keys.lock(target));
			}
		});
	}

}
