/**
 * The Redis that keeps the lock.
 */
@NullMarked
package io.github.redislock.samples.cluster.demo.redis;

import org.jspecify.annotations.NullMarked;
