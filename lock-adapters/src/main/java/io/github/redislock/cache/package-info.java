/**
 * Load each value of a cache once for all instances: a {@code CacheManager} around any
 * other one.
 */
@NullMarked
package io.github.redislock.cache;

import org.jspecify.annotations.NullMarked;
