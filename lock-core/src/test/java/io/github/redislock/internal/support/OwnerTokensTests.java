package io.github.redislock.internal.support;

import java.security.SecureRandom;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OwnerTokensTests {

	private static final int MANY = 100_000;

	private static final int THREADS = 10;

	/** How many tokens are generated from what is read from the system at once. */
	private static final int SEEDS = 64;

	private static final Pattern FORM = Pattern.compile("orders@host-7/[A-Za-z0-9_-]{22}");

	private final OwnerTokens tokens = new OwnerTokens("orders@host-7", OwnerTokens.systemRandom(), System::nanoTime);

	/**
	 * Our tokens contain a slash, unlike a UUID.
	 */
	@Test
	void tokensAreUniqueAndDifferFromUuids() {
		Set<String> all = new HashSet<>();
		for (int number = 0; number < MANY; number++) {
			String own = this.tokens.owner(this.tokens.nextRandom());
			String uuid = UUID.randomUUID().toString();

			if (!FORM.matcher(own).matches() || uuid.indexOf('/') >= 0) {
				throw new AssertionError(own + " and " + uuid);
			}
			all.add(own);
			all.add(uuid);
			all.add(uuid.replace("-", ""));
		}

		assertThat(all).hasSize(3 * MANY);
	}

	@Test
	void tokensOfSeveralThreadsAndInstancesAreUnique() throws Exception {
		List<OwnerTokens> instances = List.of(this.tokens,
				new OwnerTokens("orders@host-7", new SecureRandom(), System::nanoTime));
		Set<String> all = ConcurrentHashMap.newKeySet(THREADS * MANY);
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);

		for (int thread = 0; thread < THREADS; thread++) {
			OwnerTokens used = instances.get(thread % 2);
			threads.execute(() -> IntStream.range(0, MANY).forEach((number) -> all.add(used.nextRandom())));
		}

		threads.shutdown();
		assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
		assertThat(all).hasSize(THREADS * MANY);
	}

	/**
	 * Two copies of a process on machines whose kernels generate equal random numbers.
	 */
	@Test
	void copiesOfAProcessGenerateDifferentTokensAtDifferentTimes() {
		AtomicLong time = new AtomicLong();
		OwnerTokens one = new OwnerTokens("orders", new KnownRandom(), time::get);
		OwnerTokens other = new OwnerTokens("orders", new KnownRandom(), time::get);
		assertThat(one.nextRandom()).as("at the same time").isEqualTo(other.nextRandom());

		Set<String> all = new HashSet<>();
		for (int number = 0; number < SEEDS; number++) {
			all.add(one.nextRandom());
			time.incrementAndGet();
			all.add(other.nextRandom());
		}

		assertThat(all).hasSize(2 * SEEDS);
	}

	@Test
	void tokensGeneratedAtTheSameTimeAreDifferent() {
		OwnerTokens tokens = new OwnerTokens("orders", new KnownRandom(), () -> 7);

		assertThat(Stream.generate(tokens::nextRandom).limit(3 * SEEDS)).doesNotHaveDuplicates();
	}

	@Test
	void seedsAreReadOnceForManyTokensButAgainAfterTenMilliseconds() {
		KnownRandom known = new KnownRandom();
		AtomicLong time = new AtomicLong(Long.MAX_VALUE - 5_000_000);
		OwnerTokens tokens = new OwnerTokens("orders", known, time::get);

		tokens.nextRandom();
		time.addAndGet(9_999_999);
		IntStream.range(1, SEEDS).forEach((number) -> tokens.nextRandom());
		assertThat(known.reads).as("before").isEqualTo(1);

		tokens.nextRandom();
		assertThat(known.reads).as("all used").isEqualTo(2);

		time.addAndGet(10_000_000);
		tokens.nextRandom();
		assertThat(known.reads).as("after 10 ms").isEqualTo(3);

		time.decrementAndGet();
		tokens.nextRandom();
		assertThat(known.reads).as("on a machine with another clock").isEqualTo(4);
	}

	@Test
	void restoredCopyHasItsOwnNameAndReadsNewSeeds() {
		KnownRandom known = new KnownRandom();
		OwnerTokens tokens = new OwnerTokens("orders", known, () -> 7);
		tokens.nextRandom();

		tokens.renewInstance();

		assertThat(known.reads).isEqualTo(2);
		assertThat(tokens.instance()).matches("orders~[A-Za-z0-9_-]{6}");
		assertThat(tokens.owner("x")).isEqualTo(tokens.instance() + "/x");
	}

	@Test
	void onlyTheInstancePartOfATokenIsShown() {
		assertThat(OwnerTokens.holder(this.tokens.owner(this.tokens.nextRandom()))).isEqualTo("orders@host-7");
		assertThat(OwnerTokens.holder("3f2a77c0a8b14d1e9f0d2b6c5a4e3f21")).isEqualTo("another client");
	}

	@Test
	void shortenedTokenShowsAtMostSixCharactersAfterItsLastSlash() {
		OwnerTokens tokens = new OwnerTokens("eu/orders-1", new SecureRandom(), System::nanoTime);
		String own = tokens.owner(tokens.nextRandom());

		assertThat(OwnerTokens.shortened(own)).isEqualTo(own.substring(0, "eu/orders-1/".length() + 6) + "…");
		assertThat(OwnerTokens.shortened("team/secret")).isEqualTo("team/…");
		assertThat(OwnerTokens.shortened("job/1")).isEqualTo("job/…");
		assertThat(OwnerTokens.shortened("abc")).isEqualTo("a…");
		assertThat(OwnerTokens.shortened("3f2a77b2c4d54c0f8a3b6f0e9d1c2b3a")).isEqualTo("3f2a77…");
		assertThat(OwnerTokens.shortened("/")).isEqualTo("/…");
		assertThat(OwnerTokens.shortened(OwnerTokens.shortened(own))).isEqualTo(OwnerTokens.shortened(own));
		assertThat(OwnerTokens.shortened("ab\uD83D\uDE00cd")).as("no half of a character").isEqualTo("ab…");
	}

	/**
	 * A system whose random numbers are known.
	 */
	private static final class KnownRandom extends SecureRandom {

		private static final long serialVersionUID = 1L;

		private final Random random = new Random(7);

		private int reads;

		@Override
		public byte[] generateSeed(int count) {
			this.reads++;
			byte[] seed = new byte[count];
			this.random.nextBytes(seed);
			return seed;
		}

	}

}
