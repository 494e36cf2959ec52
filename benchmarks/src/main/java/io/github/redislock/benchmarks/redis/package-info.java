/**
 * The Redis under test, what it says about itself, and the network before it.
 */
@NullMarked
package io.github.redislock.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
