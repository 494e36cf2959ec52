package io.github.redislock.autoconfigure;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import io.github.redislock.RulesOfEveryModule;

/**
 * The auto-configuration may use all packages for users, and a few more.
 */
@AnalyzeClasses(packages = "io.github.redislock.autoconfigure", importOptions = ImportOption.DoNotIncludeTests.class)
class AutoconfigureArchitectureTests {

	@ArchTest
	final ArchTests everyModule = ArchTests.in(RulesOfEveryModule.class);

}
