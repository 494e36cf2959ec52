/**
 * Locks on several independent servers, a majority of which decides.
 */
@NullMarked
package io.github.redislock.redis.quorum;

import org.jspecify.annotations.NullMarked;
