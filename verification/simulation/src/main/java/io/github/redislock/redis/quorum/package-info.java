/**
 * Gives the simulation access to package-private types.
 */
@NullMarked
package io.github.redislock.redis.quorum;

import org.jspecify.annotations.NullMarked;
