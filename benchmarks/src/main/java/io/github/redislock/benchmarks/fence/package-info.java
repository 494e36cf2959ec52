/**
 * Measures what a fence costs: see
 * {@link io.github.redislock.benchmarks.fence.FenceBenchmark}.
 */
@NullMarked
package io.github.redislock.benchmarks.fence;

import org.jspecify.annotations.NullMarked;
