package io.github.redislock.campaign.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.redislock.campaign.history.Attempt.Grant;
import org.jspecify.annotations.Nullable;

/**
 * Creates correct histories.
 */
final class Histories {

	/** A millisecond. */
	static final long MS = 1_000_000;

	static final Rules RULES = new Rules(Duration.ofMillis(100), Duration.ofMillis(500), Duration.ofMillis(50),
			Duration.ofMillis(50), true, true);

	private Histories() {
	}

	/**
	 * Return holds of three locks, one after the other, and several refused attempts for
	 * each.
	 */
	static List<Attempt> good(int holds, long seed) {
		Random random = new Random(seed);
		List<Attempt> attempts = new ArrayList<>();
		long now = 1_000 * MS;
		for (int number = 0; number < holds; number++) {
			String key = "key-" + number % 3;
			String owner = "c%d.1/%d".formatted(number % 4, number);
			long begin = now + random.nextInt(1_000);
			long end = begin + 1_000 + random.nextInt(5_000);
			attempts.add(hold("c%d.1".formatted(number % 4), key, owner, 1_000 + number, begin, end));
			attempts.add(refused("c%d.1".formatted((number + 1) % 4), key, null, begin + 200, begin + 500, owner));
			now += 10_000;
		}
		return attempts;
	}

	static Attempt hold(String client, String key, String owner, long token, long begin, long end) {
		return new Attempt(client, key, null, 0, begin, begin + 100, new Grant(token, owner, begin + 100, end),
				Outcome.RELEASED, end + 100, null);
	}

	static Attempt refused(String client, String key, @Nullable String ownToken, long invoked, long replied,
			@Nullable String holder) {
		return new Attempt(client, key, ownToken, 0, invoked, replied, null, Outcome.REFUSED, replied, holder);
	}

	static List<Violation> check(List<Attempt> attempts) {
		return HistoryChecker.check(new History(attempts, List.of(), List.of(), List.of()), RULES);
	}

}
