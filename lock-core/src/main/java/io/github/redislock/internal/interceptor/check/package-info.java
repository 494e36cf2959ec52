/**
 * Startup checks for locked methods that no proxy intercepts, and for orders of advice
 * that weaken a lock. Internal.
 */
@NullMarked
package io.github.redislock.internal.interceptor.check;

import org.jspecify.annotations.NullMarked;
