/**
 * The Redis under test, its counters, and the network in front of it.
 */
@NullMarked
package io.github.redislock.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
