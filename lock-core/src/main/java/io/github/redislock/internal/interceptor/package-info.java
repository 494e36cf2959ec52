/**
 * Locks around method calls: reads the declaration of a method, checks it at startup and
 * holds the lock while the method runs.
 * <p>
 * The package does not depend on the lock annotations:
 * {@link io.github.redislock.internal.interceptor.declaration.LockDefinitionSource} finds
 * declarations.
 */
@NullMarked
package io.github.redislock.internal.interceptor;

import org.jspecify.annotations.NullMarked;
