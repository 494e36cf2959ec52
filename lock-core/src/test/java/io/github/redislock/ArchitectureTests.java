package io.github.redislock;

import java.util.Map;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.ArchTests;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.github.redislock.store.LockStore;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each layer depends only on those before it: support, root, store, engine; then memory
 * and Redis, the interceptor and the annotation, and the rest.
 */
@AnalyzeClasses(packages = "io.github.redislock", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

	private static final String ROOT = "io.github.redislock";

	private static final String SUPPORT = ROOT + ".internal.support";

	private static final String STORE = ROOT + ".store";

	private static final String ENGINE = ROOT + ".internal.engine";

	private static final String[] TRANSACTION = { ROOT + ".transaction..", ROOT + ".internal.transaction.." };

	private static final String[] JDK_AND_LOGGING = { "java..", "org.jspecify..", "org.apache.commons.logging..",
			"com.google.errorprone.annotations.." };

	/**
	 * The only cycles that are allowed. This list may only shrink. A blocking handle
	 * returns an asynchronous one, and the reverse.
	 */
	private static final Map<String, String> KNOW_EACH_OTHER = Map.of("BlockingHandle", "AsyncHandle");

	@ArchTest
	final ArchTests everyModule = ArchTests.in(RulesOfEveryModule.class);

	@ArchTest
	static final ArchRule engineHasNoOtherCyclesBetweenTypes = SlicesRuleDefinition.slices()
		.assignedFrom(new TypesOfTheEngine())
		.should()
		.beFreeOfCycles();

	@ArchTest
	static final ArchRule redisHasNoCyclesBetweenTypes = SlicesRuleDefinition.slices()
		.assignedFrom(new TypesIn(ROOT + ".redis"))
		.should()
		.beFreeOfCycles();

	@ArchTest
	static final ArchRule clientsHaveNoCyclesBetweenTypes = SlicesRuleDefinition.slices()
		.assignedFrom(new TypesIn(ROOT + ".internal.client"))
		.should()
		.beFreeOfCycles();

	@ArchTest
	static final ArchRule supportDependsOnlyOnTheJdkAndLogging = classes().that()
		.resideInAPackage(SUPPORT)
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, SUPPORT));

	@ArchTest
	static final ArchRule rootDependsOnNoHigherLayer = classes().that()
		.resideInAPackage(ROOT)
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(
				with(JDK_AND_LOGGING, ROOT, SUPPORT, "org.springframework.core..", "org.springframework.util.."));

	@ArchTest
	static final ArchRule storeDependsOnlyOnTheRootAndSupport = classes().that()
		.resideInAPackage(STORE)
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, SUPPORT, STORE));

	@ArchTest
	static final ArchRule engineDependsOnNoStoreImplementation = classes().that()
		.resideInAPackage(ENGINE)
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, SUPPORT, STORE, ENGINE, "org.springframework.core..",
				"org.springframework.util..", "org.crac.."));

	@ArchTest
	static final ArchRule memoryDependsOnlyOnTheRootAndStore = classes().that()
		.resideInAPackage(ROOT + ".memory..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, STORE, ROOT + ".memory.."));

	@ArchTest
	static final ArchRule transactionDependsOnlyOnTheRootEngineAndSpringTx = classes().that()
		.resideInAnyPackage(TRANSACTION)
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(with(JDK_AND_LOGGING, TRANSACTION), ROOT, ENGINE, "org.springframework.transaction..",
				"org.springframework.util.."));

	@ArchTest
	static final ArchRule onlyTransactionsAndFencingDependOnSpringTx = noClasses().that()
		.resideOutsideOfPackages(with(TRANSACTION, ROOT + ".fencing.."))
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.transaction..");

	@ArchTest
	static final ArchRule onlyRedisAndFencingDependOnRedis = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".redis..", ROOT + ".internal.client..", ROOT + ".fencing..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.data..", "io.lettuce..", "redis.clients..");

	@ArchTest
	static final ArchRule eventDependsOnlyOnTheRootAndTheContext = classes().that()
		.resideInAPackage(ROOT + ".event..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, ROOT + ".event..", "org.springframework.context.."));

	@ArchTest
	static final ArchRule leadershipDependsOnlyOnTheRootAndTheContext = classes().that()
		.resideInAPackage(ROOT + ".leadership..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, ROOT + ".leadership..", "org.springframework.context..",
				"org.springframework.util.."));

	@ArchTest
	static final ArchRule observationDependsOnlyOnTheRootLeadershipAndMicrometer = classes().that()
		.resideInAPackage(ROOT + ".observation..")
		.should()
		.onlyDependOnClassesThat()
		.resideInAnyPackage(with(JDK_AND_LOGGING, ROOT, ROOT + ".leadership", ROOT + ".observation..",
				"io.micrometer.common..", "io.micrometer.observation..", "io.micrometer.core.instrument..",
				"org.springframework.core.task.."));

	@ArchTest
	static final ArchRule onlyObservationDependsOnMicrometer = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".observation..", ROOT + ".autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.micrometer.common..", "io.micrometer.observation..", "io.micrometer.core..");

	@ArchTest
	static void storeInterfaceHasTwelveMethods(JavaClasses classes) {
		assertThat(classes.get(LockStore.class).getMethods()).hasSize(12);
	}

	private static String[] with(String[] some, String... more) {
		return Stream.of(some, more).flatMap(Stream::of).toArray(String[]::new);
	}

	/**
	 * The top-level types of a package and of its subpackages.
	 */
	private record TypesIn(String root) implements SliceAssignment {

		@Override
		public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
			return (javaClass.getPackageName() + ".").startsWith(this.root + ".")
					? SliceIdentifier.of(javaClass.getName().split("\\$")[0]) : SliceIdentifier.ignore();
		}

		@Override
		public String getDescription() {
			return "types in " + this.root;
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
