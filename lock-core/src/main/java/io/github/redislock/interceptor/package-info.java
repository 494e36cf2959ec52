/**
 * Locks around method calls: reads what was declared about a method, checks it at
 * start-up and holds the lock while the method runs.
 * <p>
 * Knows no annotation:
 * {@link io.github.redislock.interceptor.declaration.LockDefinitionSource} finds what was
 * declared.
 */
@NullMarked
package io.github.redislock.interceptor;

import org.jspecify.annotations.NullMarked;
