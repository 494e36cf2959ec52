/**
 * Finds the lock annotations and registers the beans that make them work. Internal.
 */
@NullMarked
package io.github.redislock.internal.annotation;

import org.jspecify.annotations.NullMarked;
