package io.github.redislock.archunit.shop;

import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.github.redislock.archunit.DistributedLockRules;

/**
 * The test that the documentation shows for applications.
 */
@AnalyzeClasses(packages = "io.github.redislock.archunit.shop")
class LockRulesTests {

	@ArchTest
	static final ArchRule locksAreTaken = DistributedLockRules.LOCKED_METHODS_ARE_NOT_CALLED_WITHIN_THEIR_OBJECT;

	@ArchTest
	static final ArchRule locksCanBeTaken = DistributedLockRules.LOCKED_METHODS_CAN_BE_PROXIED;

}
