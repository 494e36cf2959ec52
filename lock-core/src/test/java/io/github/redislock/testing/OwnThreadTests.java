package io.github.redislock.testing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * Tests depend neither on the size of the common pool nor on what else runs there.
 */
@AnalyzeClasses(packages = "io.github.redislock", importOptions = ImportOption.OnlyIncludeTests.class)
class OwnThreadTests {

	@ArchTest
	void noTestUsesTheCommonPool(JavaClasses classes) {
		noClasses().should()
			.callMethod(CompletableFuture.class, "supplyAsync", Supplier.class)
			.orShould()
			.callMethod(CompletableFuture.class, "runAsync", Runnable.class)
			.orShould()
			.callMethod(CompletableFuture.class, "delayedExecutor", long.class, TimeUnit.class)
			.check(classes);
	}

}
