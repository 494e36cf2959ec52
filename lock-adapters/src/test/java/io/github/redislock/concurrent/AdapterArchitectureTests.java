package io.github.redislock.concurrent;

import java.util.stream.Stream;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.github.redislock.RulesOfEveryModule;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

/**
 * Adapters depend only on the public API and on the interface that they adapt.
 */
@AnalyzeClasses(packages = { "io.github.redislock.cache", "io.github.redislock.concurrent",
		"io.github.redislock.integration", "io.github.redislock.shedlock" },
		importOptions = ImportOption.DoNotIncludeTests.class)
class AdapterArchitectureTests {

	private static final String ROOT = "io.github.redislock";

	private static final String[] JDK_AND_LOGGING = { "java..", "org.jspecify..", "org.apache.commons.logging.." };

	@ArchTest
	final ArchTests everyModule = ArchTests.in(RulesOfEveryModule.class);

	@ArchTest
	static final ArchRule concurrentDependsOnlyOnTheRoot = classes().that()
		.resideInAPackage(ROOT + ".concurrent..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, ROOT + ".concurrent.."));

	@ArchTest
	static final ArchRule cacheDependsOnlyOnTheRootAndSpringsCaches = classes().that()
		.resideInAPackage(ROOT + ".cache..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, ROOT + ".cache..", "org.springframework.cache..",
				"org.springframework.dao..", "org.springframework.util.."));

	@ArchTest
	static final ArchRule integrationDependsOnlyOnTheLockViewAndSpringIntegration = classes().that()
		.resideInAPackage(ROOT + ".integration..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, ROOT + ".internal.support", ROOT + ".concurrent..",
				ROOT + ".integration..", "org.springframework.integration..", "org.springframework.dao..",
				"org.springframework.scheduling.."));

	@ArchTest
	static final ArchRule shedlockDependsOnlyOnTheRootAndShedLock = classes().that()
		.resideInAPackage(ROOT + ".shedlock..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, ROOT + ".internal.support", ROOT + ".shedlock..",
				"net.javacrumbs.shedlock.."));

	private static String[] with(String[] some, String... more) {
		return Stream.of(some, more).flatMap(Stream::of).toArray(String[]::new);
	}

}
