package io.github.redislock.simulation;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * A random number generator. All generators of a world derive from one seed. The parts of
 * a world have separate generators, so that leaving out a step of a plan changes little
 * else.
 */
public final class Chance {

	private static final int PER_MILLE = 1_000;

	private final SplittableRandom random;

	Chance(long seed) {
		this.random = new SplittableRandom(seed);
	}

	Chance split() {
		return new Chance(nextSeed());
	}

	long nextSeed() {
		return this.random.nextLong();
	}

	boolean perMille(int chances) {
		return chances > 0 && this.random.nextInt(PER_MILLE) < chances;
	}

	boolean oneIn(int count) {
		return this.random.nextInt(count) == 0;
	}

	/**
	 * Return a number from a range, both ends included.
	 */
	int between(int least, int most) {
		return this.random.nextInt(least, most + 1);
	}

	long between(long least, long most) {
		return this.random.nextLong(least, most + 1);
	}

	Duration between(Duration least, Duration most) {
		return Duration.ofMillis(between(least.toMillis(), most.toMillis()));
	}

	<T> T oneOf(List<T> all) {
		return all.get(this.random.nextInt(all.size()));
	}

	RandomGenerator generator() {
		return this.random;
	}

	/**
	 * Return a source of random bytes for owner tokens, which depend on the seed only.
	 */
	SecureRandom secrets() {
		return new Secrets(this.random);
	}

	private static final class Secrets extends SecureRandom {

		private static final long serialVersionUID = 1L;

		private final transient SplittableRandom random;

		Secrets(SplittableRandom random) {
			super(null, null);
			this.random = random;
		}

		@Override
		public byte[] generateSeed(int count) {
			byte[] seed = new byte[count];
			this.random.nextBytes(seed);
			return seed;
		}

	}

}
