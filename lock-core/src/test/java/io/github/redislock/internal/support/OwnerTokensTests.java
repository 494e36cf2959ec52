package io.github.redislock.internal.support;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OwnerTokensTests {

	private static final int MANY = 100_000;

	private static final Pattern FORM = Pattern.compile("orders@host-7/[A-Za-z0-9_-]{22}");

	private final OwnerTokens tokens = new OwnerTokens("orders@host-7", new SecureRandom());

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

	/**
	 * Two equal generators, as in two copies of a process.
	 */
	@Test
	void copiesOfAProcessGenerateDifferentTokens() throws Exception {
		SecureRandom generator = SecureRandom.getInstance("SHA1PRNG");
		generator.setSeed(42);
		OwnerTokens one = new OwnerTokens("orders", copy(generator));
		OwnerTokens other = new OwnerTokens("orders", copy(generator));
		assertThat(copy(generator).nextLong()).as("same state").isEqualTo(copy(generator).nextLong());

		assertThat(one.nextRandom()).isNotEqualTo(other.nextRandom());
		one.renewInstance();
		other.renewInstance();

		assertThat(one.instance()).startsWith("orders~").isNotEqualTo(other.instance());
		assertThat(one.owner("x")).isEqualTo(one.instance() + "/x");
	}

	@Test
	void onlyTheInstancePartOfATokenIsShown() {
		assertThat(OwnerTokens.holder(this.tokens.owner(this.tokens.nextRandom()))).isEqualTo("orders@host-7");
		assertThat(OwnerTokens.holder("3f2a77c0a8b14d1e9f0d2b6c5a4e3f21")).isEqualTo("another client");
	}

	private static SecureRandom copy(SecureRandom original) throws Exception {
		ByteArrayOutputStream image = new ByteArrayOutputStream();
		try (ObjectOutputStream output = new ObjectOutputStream(image)) {
			output.writeObject(original);
		}
		try (ObjectInputStream input = new ObjectInputStream(new ByteArrayInputStream(image.toByteArray()))) {
			return (SecureRandom) input.readObject();
		}
	}

	@Test
	void shortenedTokenShowsAtMostSixCharactersAfterItsLastSlash() {
		OwnerTokens tokens = new OwnerTokens("eu/orders-1", new SecureRandom());
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

}
