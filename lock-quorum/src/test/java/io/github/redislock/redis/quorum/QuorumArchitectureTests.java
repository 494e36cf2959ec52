package io.github.redislock.redis.quorum;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.github.redislock.RulesOfEveryModule;
import io.github.redislock.TypeCircles;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The store of a quorum does not depend on Spring Boot.
 */
@AnalyzeClasses(packages = { "io.github.redislock.redis.quorum", "io.github.redislock.autoconfigure.quorum" },
		importOptions = ImportOption.DoNotIncludeTests.class)
class QuorumArchitectureTests {

	@ArchTest
	final ArchTests everyModule = ArchTests.in(RulesOfEveryModule.class);

	@ArchTest
	static final ArchRule storeDoesNotDependOnSpringBoot = noClasses().that()
		.resideInAPackage("io.github.redislock.redis.quorum")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("org.springframework.boot..");

	@ArchTest
	static void typesHaveNoCycles(JavaClasses classes) {
		assertThat(TypeCircles.of(classes)).isEmpty();
	}

}
