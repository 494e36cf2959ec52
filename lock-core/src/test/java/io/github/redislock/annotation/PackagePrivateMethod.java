package io.github.redislock.annotation;

/**
 * Extended in another package.
 */
public class PackagePrivateMethod {

	@DistributedLock
	void m() {
	}

}
