package io.github.redislock.campaign;

import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.nemesis.Fault;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class CommandTests {

	@Test
	void oneServerIsTheDefaultTopology() {
		assertThat(Command.parse("3m").settings()).extracting(Setting::label)
			.containsExactly("main", "naive", "wiped", "quarantine", "clock");
	}

	@Test
	void eachTopologyHasItsOwnControls() {
		assertThat(Command.parse("3m", "--on", "sentinel").settings()).extracting(Setting::label)
			.containsExactly("main on sentinel", "async-failover on sentinel");
		assertThat(Command.parse("3m", "--on", "cluster").settings()).extracting(Setting::label)
			.containsExactly("main on cluster", "async-failover on cluster");
		assertThat(Command.parse("3m", "--on", "quorum").settings()).extracting(Setting::label)
			.containsExactly("main on quorum", "quarantine on quorum", "restart-without-data on quorum");
	}

	@Test
	void severalTopologiesRunInOrder() {
		assertThat(Command.parse("3m", "--on", "cluster,quorum", "--no-controls").settings())
			.containsExactly(new Setting(Scenario.MAIN, Topology.CLUSTER), new Setting(Scenario.MAIN, Topology.QUORUM));
	}

	@Test
	void controlSelectsItsTopology() {
		assertThat(Command.parse("--control", "restart-without-data").settings())
			.containsExactly(new Setting(Scenario.RESTART_WITHOUT_DATA, Topology.QUORUM));
		assertThat(Command.parse("--control", "async-failover", "--on", "cluster").settings())
			.containsExactly(new Setting(Scenario.ASYNC_FAILOVER, Topology.CLUSTER));
		assertThatIllegalArgumentException().isThrownBy(() -> Command.parse("--control", "naive", "--on", "quorum"))
			.withMessage("There is no control 'naive' on [QUORUM]");
	}

	@Test
	void leadersOptionReplacesTheSettings() {
		assertThat(Command.parse("--leaders", "2,50").leaders()).containsExactly(2, 50);
		assertThat(Command.parse("--leaders", "2,50").settings()).isEmpty();
	}

	@Test
	void transfersOptionReplacesTheSettings() {
		assertThat(Command.parse("--transfers", "300,1000").transfers()).containsExactly(300, 1000);
		assertThat(Command.parse("--transfers", "300,1000").settings()).isEmpty();
	}

	@Test
	void onlyFaultsThatSuitTheTopologyAreInjected() {
		assertThat(new Setting(Scenario.MAIN, Topology.STANDALONE).faults()).hasSize(24)
			.doesNotContain(Fault.FAIL_OVER, Fault.OUTAGE);
		assertThat(new Setting(Scenario.MAIN, Topology.SENTINEL).faults())
			.contains(Fault.KILL_MASTER, Fault.REPLACE_BY_LAGGING, Fault.KILL_SENTINEL)
			.doesNotContain(Fault.STEP_CLOCK, Fault.MOVE_SLOT);
		assertThat(new Setting(Scenario.MAIN, Topology.QUORUM).faults()).contains(Fault.OUTAGE, Fault.CRASHES)
			.doesNotContain(Fault.FAIL_OVER);
	}

}
