package io.github.redislock.simulation;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import io.github.redislock.simulation.redis.LuaScripts;
import io.github.redislock.simulation.redis.NeedsLua;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The simulation finds the mistakes that are planted in it, and each run is repeatable.
 */
@NeedsLua
class ControlTests {

	private static LuaScripts lua;

	@BeforeAll
	static void open() {
		lua = new LuaScripts();
	}

	@AfterAll
	static void close() {
		lua.close();
	}

	@ParameterizedTest
	@EnumSource
	void onlyThePlantedMistakeIsFound(Control control) {
		Control.Finding finding = control.find(lua);
		assertThat(finding).isNotNull().matches(Control.Finding::isMistake, "is broken by the mistake only");
		assertThat(Caller.count()).as("threads of worlds that ended early").isZero();
	}

	@ParameterizedTest
	@Tag("thorough")
	@EnumSource(names = { "NO_EXPIRY", "FALSE_DENIAL", "SLOW_HAND_OVER" })
	void plantedMistakeIsFoundInLargeSchedules(Control control) {
		Control.Finding finding = control.find(lua, Scenario.LARGE);
		assertThat(finding).isNotNull().matches(Control.Finding::isMistake, "is broken by the mistake only");
	}

	@Test
	void failingRunIsShrunkToFewerSteps() {
		Control.Finding finding = Control.FORGETFUL_RELEASE.find(lua);
		assertThat(finding).isNotNull();
		Run shortest = Simulation.shrink(lua, finding.run());
		Predicate<Run> broken = (run) -> run.go(lua, false).violation() != null;
		assertThat(shortest).matches(broken);
		List<Step> left = shortest.plan().steps();
		assertThat(left).hasSizeLessThan(finding.run().plan().steps().size());
		assertThat(shortest.go(lua, true).story()).last().asString().contains("BROKEN: TrueRelease");
	}

	@Test
	void runFailsIfItsMistakeCannotBePlanted() {
		Mistake mistake = ChangedScripts.replace("release", "no such text", "");
		assertThatIllegalStateException().isThrownBy(() -> new Run(1, Scenario.HOT, mistake, Set.of()).go(lua, false))
			.withMessageContaining("no such text");
	}

}
