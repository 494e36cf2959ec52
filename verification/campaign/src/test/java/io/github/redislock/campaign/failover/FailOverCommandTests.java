package io.github.redislock.campaign.failover;

import java.time.Duration;
import java.util.List;

import io.github.redislock.campaign.deployment.Topology;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class FailOverCommandTests {

	@Test
	void eachTopologyHasItsContenders() {
		FailOverCommand command = FailOverCommand.parse(List.of("200"));

		assertThat(command.libraries(Topology.QUORUM)).containsExactly(Library.QUORUM_3, Library.QUORUM_5);
		assertThat(command.libraries(Topology.CLUSTER)).contains(Library.OURS_ACKS)
			.doesNotContain(Library.OURS_QUARANTINE);
	}

	@Test
	void noMasterOfClusterIsCutOff() {
		FailOverCommand command = FailOverCommand.parse(List.of("200"));

		assertThat(command.blows(Topology.CLUSTER)).containsExactly(Blow.KILL, Blow.PAUSE);
		assertThat(command.blows(Topology.SENTINEL)).containsExactly(Blow.values());
	}

	@Test
	void slowReplicationIsDelayed() {
		FailOverCommand command = FailOverCommand.parse(List.of("3", "--replication", "slow", "--delay", "200ms"));

		assertThat(command.replications(Topology.SENTINEL)).containsExactly(Duration.ofMillis(200));
		assertThat(command.replications(Topology.QUORUM)).containsExactly(Duration.ZERO);
	}

	@Test
	void numberOfFailOversIsRequired() {
		assertThatIllegalArgumentException().isThrownBy(() -> FailOverCommand.parse(List.of("--on", "cluster")))
			.withMessage("The number of fail-overs is missing");
	}

	@Test
	void oneServerHasNoFailOver() {
		assertThatIllegalArgumentException().isThrownBy(() -> FailOverCommand.parse(List.of("3", "--on", "standalone")))
			.withMessage("No fail-overs on 'standalone'");
	}

}
