/**
 * Locks on several independent servers, more than half of which decide.
 */
@NullMarked
package io.github.redislock.redis.quorum;

import org.jspecify.annotations.NullMarked;
