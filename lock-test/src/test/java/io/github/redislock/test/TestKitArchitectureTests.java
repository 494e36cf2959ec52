package io.github.redislock.test;

import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import io.github.redislock.RulesOfEveryModule;
import io.github.redislock.internal.engine.CallersLock;
import io.github.redislock.internal.engine.ThreadLocks;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

/**
 * Each part of the test kit depends only on what its name implies.
 */
@AnalyzeClasses(packages = { "io.github.redislock.test", "io.github.redislock.archunit",
		"io.github.redislock.autoconfigure.test" }, importOptions = ImportOption.DoNotIncludeTests.class)
class TestKitArchitectureTests {

	private static final String ROOT = "io.github.redislock";

	private static final String[] JDK_AND_LOGGING = { "java..", "org.jspecify..", "org.apache.commons.logging.." };

	@ArchTest
	final ArchTests everyModule = ArchTests.in(RulesOfEveryModule.class);

	@ArchTest
	static final ArchRule testSupportDependsOnNoTestLibrary = classes().that()
		.resideInAPackage(ROOT + ".test..")
		.should()
		.onlyDependOnClassesThat(JavaClass.Predicates
			.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, ROOT + ".store", ROOT + ".test..", ROOT + ".memory..",
					ROOT + ".redis.."))
			.or(JavaClass.Predicates.belongToAnyOf(ThreadLocks.class, CallersLock.class)));

	@ArchTest
	static final ArchRule archunitDependsOnlyOnTheRootAndTheAnnotation = classes().that()
		.resideInAPackage(ROOT + ".archunit..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage("java..", "org.jspecify..", "com.tngtech.archunit..", ROOT + ".archunit..", ROOT,
				ROOT + ".annotation..");

	private static String[] with(String[] some, String... more) {
		return Stream.of(some, more).flatMap(Stream::of).toArray(String[]::new);
	}

}
