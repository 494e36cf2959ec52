package io.github.redislock.archunit;

import com.tngtech.archunit.lang.ArchRule;
import io.github.redislock.LockContext;
import io.github.redislock.annotation.DistributedLock;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/**
 * Rules about {@link DistributedLock} that tests can check without starting the
 * application. <pre class="code">
 * &#64;AnalyzeClasses(packages = "com.acme.shop", importOptions = ImportOption.DoNotIncludeTests.class)
 * class LockRulesTests {
 *
 *     &#64;ArchTest
 *     static final ArchRule locksAreTaken = DistributedLockRules.LOCKED_METHODS_ARE_NOT_CALLED_WITHIN_THEIR_OBJECT;
 *
 *     &#64;ArchTest
 *     static final ArchRule locksCanBeTaken = DistributedLockRules.LOCKED_METHODS_CAN_BE_PROXIED;
 *
 * }
 * </pre>
 * <p>
 * Annotations on types, on overridden methods and on interfaces count, and so do
 * annotations that are annotated with {@code DistributedLock}.
 *
 * @see LockContext#requireHeld()
 */
public final class DistributedLockRules {

	/**
	 * No class calls a locked method of the same object: such a call bypasses the proxy,
	 * and takes no lock.
	 * <p>
	 * Calls from lambdas and inner classes count, and so do method references. An
	 * override may call the overridden method. A locked method may call another one with
	 * the same fixed name and no key if the lock that it holds already includes the
	 * other: a reader may call only readers, and a method with permits may not call one
	 * that needs the lock exclusively. A call on another object of the same class cannot
	 * be distinguished and is also reported: refer to that object through an interface.
	 */
	public static final ArchRule LOCKED_METHODS_ARE_NOT_CALLED_WITHIN_THEIR_OBJECT = classes()
		.should(new CallNoLockedMethodOfOwnObject())
		.allowEmptyShould(true);

	/**
	 * Locked methods are not private, static or final, and not in a final class, because
	 * a class-based proxy could not lock them.
	 */
	public static final ArchRule LOCKED_METHODS_CAN_BE_PROXIED = classes().should(new LockOnlyWhatCanBeProxied())
		.allowEmptyShould(true);

	/**
	 * No class outside of this library uses its internal packages, which may change in
	 * any version.
	 */
	public static final ArchRule INTERNAL_TYPES_ARE_NOT_USED = noClasses().that()
		.resideOutsideOfPackage("io.github.redislock..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("io.github.redislock.internal..")
		.allowEmptyShould(true);

	private DistributedLockRules() {
	}

}
