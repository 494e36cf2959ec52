/**
 * The Redis in which the lock is.
 */
@NullMarked
package io.github.redislock.samples.cluster.demo.redis;

import org.jspecify.annotations.NullMarked;
