/**
 * Measures what a short lease costs: see
 * {@link io.github.redislock.benchmarks.lease.LeaseBenchmark}.
 */
@NullMarked
package io.github.redislock.benchmarks.lease;

import org.jspecify.annotations.NullMarked;
