package io.github.redislock.annotation;

import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Imports the registrar by its name. It reads {@link EnableDistributedLocks}, so an
 * import of its class would make the two packages depend on each other.
 */
final class DistributedLockSelector implements ImportSelector {

	@Override
	public String[] selectImports(AnnotationMetadata metadata) {
		return new String[] { "io.github.redislock.internal.annotation.DistributedLockRegistrar" };
	}

}
