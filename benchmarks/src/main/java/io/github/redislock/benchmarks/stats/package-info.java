/**
 * Histograms and medians.
 */
@NullMarked
package io.github.redislock.benchmarks.stats;

import org.jspecify.annotations.NullMarked;
