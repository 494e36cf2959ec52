/**
 * Bridges from the simulation to what is package-private.
 */
@NullMarked
package io.github.redislock.redis.quorum;

import org.jspecify.annotations.NullMarked;
