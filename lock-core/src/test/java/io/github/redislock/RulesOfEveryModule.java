package io.github.redislock;

import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.github.redislock.internal.engine.CallersLock;
import io.github.redislock.internal.engine.ThreadLocks;
import org.jspecify.annotations.NullMarked;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Architecture rules that the architecture tests of each module include.
 */
public final class RulesOfEveryModule {

	private static final String ROOT = "io.github.redislock";

	private static final String ENGINE = ROOT + ".internal.engine";

	/** Each package except the root, followed by our packages that may use it. */
	private static final String USERS = """
			internal.support: root, internal.engine, redis, internal.client, redis.quorum, reactive, \
			integration, shedlock, internal.interceptor, internal.interceptor.declaration, autoconfigure
			store: internal.interceptor, internal.engine, memory, redis, redis.quorum, test, autoconfigure, \
			autoconfigure.test
			internal.engine: internal.transaction, transaction, redis, test
			internal.transaction: transaction, redis
			internal.blockhound:
			memory: test, autoconfigure, autoconfigure.test
			internal.client: redis, redis.quorum, autoconfigure
			redis: redis.quorum, test, autoconfigure
			redis.quorum: autoconfigure
			reactive: internal.interceptor, autoconfigure
			leadership: observation, internal.interceptor, annotation, test, autoconfigure
			observation: autoconfigure
			transaction: autoconfigure
			event: autoconfigure
			fencing:
			internal.interceptor.declaration: internal.interceptor, internal.interceptor.check, internal.annotation, \
			autoconfigure, autoconfigure.test
			internal.interceptor: internal.interceptor.check, annotation, internal.annotation, autoconfigure
			internal.interceptor.check: internal.annotation
			annotation: internal.annotation, autoconfigure, archunit
			internal.annotation: autoconfigure
			archunit:
			test: autoconfigure.test
			autoconfigure: autoconfigure.test
			autoconfigure.test:
			cache: autoconfigure
			concurrent: integration
			integration:
			shedlock:
			""";

	/** The maximum number of types in a cycle within a package. */
	private static final int LARGEST_CIRCLE = 3;

	@ArchTest
	static final ArchRule packagesHaveNoCycles = SlicesRuleDefinition.slices()
		.assignedFrom(new Packages())
		.should()
		.beFreeOfCycles();

	@ArchTest
	static void packagesAreUsedOnlyByPermittedPackages(JavaClasses classes) {
		USERS.lines()
			.map(RulesOfEveryModule::packages)
			.forEach((packages) -> noClasses().that()
				.resideOutsideOfPackages(packages)
				.should()
				.dependOnClassesThat()
				.resideInAPackage(packages[0])
				.allowEmptyShould(true)
				.check(classes));
	}

	@ArchTest
	static void everyPackageIsInTheTable(JavaClasses classes) {
		assertThat(classes).extracting(JavaClass::getPackageName)
			.isSubsetOf(("root:\n" + USERS).lines().map((line) -> packages(line)[0]).toList());
	}

	@ArchTest
	static final ArchRule onlyTheEngineTracksTheLocksOfThreads = noClasses().that()
		// The test kit may read these types.
		.resideOutsideOfPackages(ENGINE, ROOT + ".test")
		.should()
		.dependOnClassesThat()
		.belongToAnyOf(ThreadLocks.class, CallersLock.class);

	@ArchTest
	static final ArchRule onlyTheRulesDependOnArchUnit = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".archunit..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("com.tngtech.archunit..");

	@ArchTest
	static final ArchRule noPackageDependsOnAnAdapter = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".concurrent..", ROOT + ".integration..", ROOT + ".shedlock..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(ROOT + ".concurrent..", ROOT + ".integration..", ROOT + ".shedlock..",
				"org.springframework.integration..", "net.javacrumbs..")
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule onlyAdaptersImplementJavaUtilConcurrentLock = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".concurrent..", ROOT + ".integration..")
		.should()
		.beAssignableTo(Lock.class);

	@ArchTest
	static final ArchRule onlyAdaptersReturnAJavaUtilConcurrentLock = noMethods().that()
		.arePublic()
		.and()
		.areDeclaredInClassesThat()
		.resideOutsideOfPackages(ROOT + ".concurrent..", ROOT + ".integration..")
		.should()
		.haveRawReturnType(Lock.class);

	@ArchTest
	static final ArchRule noClassUsesStandardStreams = GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

	/**
	 * That thread never ends, and keeps the class loader of the first application that
	 * uses it.
	 */
	@ArchTest
	static final ArchRule noClassUsesTheTimerThreadOfTheJvm = noClasses().should()
		.callMethodWhere(DescribedPredicate.describe("the timer thread of the JVM runs a task",
				(JavaMethodCall call) -> call.getTargetOwner().isEquivalentTo(CompletableFuture.class)
						&& Set.of("orTimeout", "completeOnTimeout", "delayedExecutor").contains(call.getName())));

	@ArchTest
	static void cyclesBetweenTypesOfAPackageStaySmall(JavaClasses classes) {
		assertThat(TypeCircles.of(classes))
			.allSatisfy((circle) -> assertThat(circle).hasSizeLessThanOrEqualTo(LARGEST_CIRCLE));
	}

	@ArchTest
	static void everyPackageIsNullMarked(JavaClasses classes) {
		Set<JavaPackage> packages = classes.stream().map(JavaClass::getPackage).collect(Collectors.toSet());

		assertThat(packages).isNotEmpty()
			.allSatisfy((each) -> assertThat(each.isAnnotatedWith(NullMarked.class)).as(each.getName()).isTrue());
	}

	/**
	 * Tests must not depend on the size of the common pool or on other tasks in it.
	 * Examples may use it, because they show what users would write.
	 */
	@ArchTest
	static void noTestStartsFuturesInTheCommonPool(JavaClasses classes) {
		JavaClasses tests = ArchConfiguration.withThreadLocalScope((configuration) -> {
			// This is faster, and the rule needs no other information about the used
			// classes.
			configuration.setResolveMissingDependenciesFromClassPath(false);
			return new ClassFileImporter().importPath(Path.of("target", "test-classes"));
		});

		noClasses().that()
			.resideOutsideOfPackage(ROOT + ".examples..")
			.should()
			.callMethod(CompletableFuture.class, "supplyAsync", Supplier.class)
			.orShould()
			.callMethod(CompletableFuture.class, "runAsync", Runnable.class)
			.orShould()
			.callMethod(CompletableFuture.class, "delayedExecutor", long.class, TimeUnit.class)
			.check(tests);
	}

	private RulesOfEveryModule() {
	}

	/**
	 * Return the full names of the packages in a line of the table.
	 */
	private static String[] packages(String line) {
		return Stream.of(line.split("[:, ]+"))
			.map((name) -> name.equals("root") ? ROOT : ROOT + "." + name)
			.toArray(String[]::new);
	}

	private static final class Packages implements SliceAssignment {

		@Override
		public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
			return javaClass.getPackageName().startsWith(ROOT) ? SliceIdentifier.of(javaClass.getPackageName())
					: SliceIdentifier.ignore();
		}

		@Override
		public String getDescription() {
			return "packages";
		}

	}

}
