/**
 * Gives the simulation access to package-private types.
 */
@NullMarked
package io.github.redislock.redis;

import org.jspecify.annotations.NullMarked;
