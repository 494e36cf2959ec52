package io.github.redislock;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.jspecify.annotations.NullMarked;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The floors, each standing on those before it: support, root, store, engine; then memory
 * and Redis, the interceptor and the annotation, and what else is built of them.
 */
@AnalyzeClasses(packages = "io.github.redislock", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

	private static final String ROOT = "io.github.redislock";

	private static final String SUPPORT = ROOT + ".support";

	private static final String STORE = ROOT + ".store";

	private static final String ENGINE = ROOT + ".engine";

	private static final String[] JDK_AND_LOGGING = { "java..", "org.jspecify..", "org.apache.commons.logging.." };

	@ArchTest
	static final ArchRule packagesHaveNoCycles = SlicesRuleDefinition.slices()
		.assignedFrom(new Packages())
		.should()
		.beFreeOfCycles();

	/**
	 * Types that know each other, at most three. May only shrink: a hold is one caller's
	 * share of the tenure whose lease is renewed; a face gives the other; an interface
	 * makes its usual implementation.
	 */
	private static final Map<String, String> KNOW_EACH_OTHER = Map.of("Hold", "Tenure", "Renewal", "Tenure",
			"BlockingHandle", "AsyncHandle", "SystemLockTimer", "LockTimer");

	@ArchTest
	static final ArchRule noOtherTypesOfTheEngineKnowEachOtherInACircle = SlicesRuleDefinition.slices()
		.assignedFrom(new TypesOfTheEngine())
		.should()
		.beFreeOfCycles();

	@ArchTest
	static final ArchRule supportNeedsNoMoreThanTheJdk = classes().that()
		.resideInAPackage(SUPPORT)
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, SUPPORT));

	@ArchTest
	static final ArchRule rootKnowsNoneOfTheFloorsAbove = classes().that()
		.resideInAPackage(ROOT)
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(
				with(JDK_AND_LOGGING, ROOT, SUPPORT, "org.springframework.core..", "org.springframework.util.."));

	@ArchTest
	static final ArchRule storeKnowsOnlyWhatUsersKnow = classes().that()
		.resideInAPackage(STORE)
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, SUPPORT, STORE));

	@ArchTest
	static final ArchRule engineKnowsNoStore = classes().that()
		.resideInAPackage(ENGINE)
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, SUPPORT, STORE, ENGINE, "org.springframework.core..",
				"org.springframework.util..", "org.crac.."));

	@ArchTest
	static final ArchRule memoryIsAStoreAndNothingElse = classes().that()
		.resideInAPackage(ROOT + ".memory..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, STORE, ENGINE, ROOT + ".memory.."));

	@ArchTest
	static final ArchRule onlyOurOwnPackagesStandOnSupport = noClasses().that()
		.resideOutsideOfPackages(SUPPORT, ROOT, STORE, ENGINE)
		.should()
		.dependOnClassesThat()
		.resideInAPackage(SUPPORT);

	@ArchTest
	static final ArchRule onlyTheEngineKeepsWhatThreadsHold = noClasses().that()
		.resideOutsideOfPackages(ROOT, ENGINE)
		.should()
		.dependOnClassesThat()
		.belongToAnyOf(ThreadLocks.class, CallersLock.class, OptionSet.class);

	@ArchTest
	static final ArchRule clientsKnowNothingOfLocks = noClasses().that()
		.resideInAPackage(ROOT + ".redis.client")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(ROOT + ".redis", ROOT + ".redis.quorum", ENGINE);

	@ArchTest
	static final ArchRule onlyRedisUsesItsClients = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".redis..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage(ROOT + ".redis.client");

	@ArchTest
	static final ArchRule declarationsKnowNoCalls = noClasses().that()
		.resideInAPackage(ROOT + ".interceptor.declaration")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(ROOT + ".interceptor", ROOT + ".interceptor.check");

	@ArchTest
	static final ArchRule callsKnowNoChecks = noClasses().that()
		.resideInAPackage(ROOT + ".interceptor")
		.should()
		.dependOnClassesThat()
		.resideInAPackage(ROOT + ".interceptor.check");

	@ArchTest
	static final ArchRule testSupportNeedsNoTestLibrary = classes().that()
		.resideInAPackage(ROOT + ".test..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(
				with(JDK_AND_LOGGING, ROOT, STORE, ENGINE, ROOT + ".test..", ROOT + ".memory..", ROOT + ".redis.."));

	@ArchTest
	static final ArchRule transactionKnowsOnlyTheRootAndSpringTx = classes().that()
		.resideInAPackage(ROOT + ".transaction..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, ROOT + ".transaction..", "org.springframework.transaction..",
				"org.springframework.aot.hint..", "org.springframework.util.."));

	@ArchTest
	static final ArchRule onlyTheTransactionPackageKnowsSpringTx = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".transaction..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.transaction..");

	@ArchTest
	static final ArchRule redisKnowsOnlyTheRootAndTransactions = noClasses().that()
		.resideInAPackage(ROOT + ".redis..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(ROOT + ".memory..", ROOT + ".interceptor..", ROOT + ".annotation..");

	@ArchTest
	static final ArchRule onlyRedisAndFencingKnowRedis = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".redis..", ROOT + ".fencing..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.data..", "io.lettuce..", "redis.clients..");

	@ArchTest
	static final ArchRule eventKnowsOnlyTheRootAndTheContext = classes().that()
		.resideInAPackage(ROOT + ".event..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, ROOT + ".event..", "org.springframework.context.."));

	@ArchTest
	static final ArchRule observationKnowsOnlyTheRootAndMicrometer = classes().that()
		.resideInAPackage(ROOT + ".observation..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, ROOT + ".observation..", "io.micrometer.common..",
				"io.micrometer.observation..", "io.micrometer.core.instrument..", "org.springframework.core.task.."));

	@ArchTest
	static final ArchRule nothingElseNeedsMetrics = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".observation..", ROOT + ".autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(ROOT + ".observation..", "io.micrometer.common..", "io.micrometer.observation..",
				"io.micrometer.core..");

	@ArchTest
	static final ArchRule fencingNeedsNothingOfTheLocks = noClasses().that()
		.resideInAPackage(ROOT + ".fencing..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(ROOT, SUPPORT, STORE, ENGINE, ROOT + ".redis..", ROOT + ".memory..",
				ROOT + ".interceptor..", ROOT + ".annotation..", ROOT + ".transaction..", ROOT + ".event..");

	@ArchTest
	static final ArchRule interceptorKnowsNeitherAnnotationNorStores = noClasses().that()
		.resideInAPackage(ROOT + ".interceptor..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(ROOT + ".annotation..", ROOT + ".redis..", ROOT + ".memory..")
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule annotationKnowsNoStores = noClasses().that()
		.resideInAPackage(ROOT + ".annotation..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(ROOT + ".redis..", ROOT + ".memory..")
		.allowEmptyShould(true);

	@ArchTest
	static final ArchRule archunitKnowsOnlyTheAnnotation = classes().that()
		.resideInAPackage(ROOT + ".archunit..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage("java..", "org.jspecify..", "com.tngtech.archunit..", ROOT + ".archunit..",
				ROOT + ".annotation..");

	@ArchTest
	static final ArchRule onlyTheRulesKnowArchUnit = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".archunit..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("com.tngtech.archunit..");

	@ArchTest
	static final ArchRule nothingButAdaptersIsAJavaUtilConcurrentLock = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".concurrent..", ROOT + ".integration..")
		.should()
		.beAssignableTo(Lock.class);

	@ArchTest
	static final ArchRule nothingButAdaptersAnswersAJavaUtilConcurrentLock = noMethods().that()
		.arePublic()
		.and()
		.areDeclaredInClassesThat()
		.resideOutsideOfPackages(ROOT + ".concurrent..", ROOT + ".integration..")
		.should()
		.haveRawReturnType(Lock.class);

	@ArchTest
	static final ArchRule nothingNeedsAnAdapter = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".concurrent..", ROOT + ".integration..", ROOT + ".shedlock..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage(ROOT + ".concurrent..", ROOT + ".integration..", ROOT + ".shedlock..",
				"org.springframework.integration..", "net.javacrumbs..");

	@ArchTest
	static final ArchRule concurrentKnowsOnlyTheRoot = classes().that()
		.resideInAPackage(ROOT + ".concurrent..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, ROOT + ".concurrent.."));

	@ArchTest
	static final ArchRule integrationKnowsOnlyTheLockViewAndSpringIntegration = classes().that()
		.resideInAPackage(ROOT + ".integration..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, ROOT + ".concurrent..", ROOT + ".integration..",
				"org.springframework.integration..", "org.springframework.dao..", "org.springframework.scheduling.."));

	@ArchTest
	static final ArchRule shedlockKnowsOnlyTheRootAndShedLock = classes().that()
		.resideInAPackage(ROOT + ".shedlock..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, ROOT + ".shedlock..", "net.javacrumbs.shedlock.."));

	@ArchTest
	static final ArchRule nothingIsWrittenPastTheLog = GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

	@ArchTest
	void everyPackageIsNullMarked(JavaClasses classes) {
		Set<JavaPackage> packages = classes.stream().map(JavaClass::getPackage).collect(Collectors.toSet());

		assertThat(packages).isNotEmpty()
			.allSatisfy((each) -> assertThat(each.isAnnotatedWith(NullMarked.class)).as(each.getName()).isTrue());
	}

	private static String[] with(String[] some, String... more) {
		return Stream.of(some, more).flatMap(Stream::of).toArray(String[]::new);
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

	private static final class TypesOfTheEngine implements SliceAssignment {

		@Override
		public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
			if (!javaClass.getPackageName().equals(ENGINE)) {
				return SliceIdentifier.ignore();
			}
			String file = javaClass.getName().substring(ENGINE.length() + 1).split("\\$")[0];
			return SliceIdentifier.of(KNOW_EACH_OTHER.getOrDefault(file, file));
		}

		@Override
		public String getDescription() {
			return "types of the engine";
		}

	}

}
