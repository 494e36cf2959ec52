/**
 * The Redis that stores the lock.
 */
@NullMarked
package io.github.redislock.samples.cluster.demo.redis;

import org.jspecify.annotations.NullMarked;
