/**
 * Locks that are kept in Redis.
 * <p>
 * The scripts are in the resources of this package; each says in its head what it does.
 */
@NullMarked
package io.github.redislock.redis;

import org.jspecify.annotations.NullMarked;
