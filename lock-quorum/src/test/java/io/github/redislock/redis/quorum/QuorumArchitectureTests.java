package io.github.redislock.redis.quorum;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import io.github.redislock.RulesOfEveryModule;
import io.github.redislock.TypeCircles;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The structure of the store on a quorum.
 */
@AnalyzeClasses(packages = "io.github.redislock.redis.quorum", importOptions = ImportOption.DoNotIncludeTests.class)
class QuorumArchitectureTests {

	@ArchTest
	final ArchTests everyModule = ArchTests.in(RulesOfEveryModule.class);

	@ArchTest
	static void typesHaveNoCycles(JavaClasses classes) {
		assertThat(TypeCircles.of(classes)).isEmpty();
	}

}
