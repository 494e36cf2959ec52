/**
 * Locks that are kept in Redis.
 * <p>
 * The scripts lie beside this package in the resources; each says in its head what it
 * does.
 */
@NullMarked
package io.github.redislock.redis;

import org.jspecify.annotations.NullMarked;
