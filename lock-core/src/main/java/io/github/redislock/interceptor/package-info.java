/**
 * Locks around method calls: reads what was declared about a method, checks it at
 * start-up and holds the lock while the method runs.
 * <p>
 * Independent of annotations:
 * {@link io.github.redislock.interceptor.declaration.LockDefinitionSource} finds
 * declarations.
 */
@NullMarked
package io.github.redislock.interceptor;

import org.jspecify.annotations.NullMarked;
