/**
 * Locks that are kept in Redis.
 * <p>
 * The scripts are resources of this package. The header of each one describes what it
 * does.
 */
@NullMarked
package io.github.redislock.redis;

import org.jspecify.annotations.NullMarked;
