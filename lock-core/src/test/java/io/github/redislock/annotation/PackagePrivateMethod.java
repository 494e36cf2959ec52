package io.github.redislock.annotation;

/**
 * To be extended in another package.
 */
public class PackagePrivateMethod {

	@DistributedLock
	void m() {
	}

}
