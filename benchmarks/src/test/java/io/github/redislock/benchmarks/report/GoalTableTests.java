package io.github.redislock.benchmarks.report;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GoalTableTests {

	private final Results results = new Results(Map.of());

	@Test
	void rowShowsLimitsAndRedissonAndTheBestOtherPeerAndTheShortfall() {
		measured("local", 90_000);
		measured("raw-gated", 11_000);
		measured("redisson", 5_000);
		measured("spring-spin", 5_800);
		measured("spring-pubsub", 4_000);
		measured("ours", 50_000);
		Goal goal = new Goal("one key, acquisitions/s", "hot", "rate", List.of("local", "raw-gated"),
				Target.atLeastTimes(12, "redisson", "Redisson"));

		assertThat(new GoalTable(this.results).write(List.of(goal))).endsWith("""
				| one key, acquisitions/s | 90 000 (local); 11 000 (raw-gated) | 5000 | 5800 (spring-spin) | \
				**50 000** (10 ×) | ≥ 12 × Redisson | 20 % |
				""");
	}

	private void measured(String contender, double value) {
		this.results.add("hot", contender, Map.of("rate", value));
	}

}
