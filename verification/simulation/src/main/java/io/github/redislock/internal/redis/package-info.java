/**
 * What the simulation needs of the real Redis clients.
 */
@NullMarked
package io.github.redislock.internal.redis;

import org.jspecify.annotations.NullMarked;
