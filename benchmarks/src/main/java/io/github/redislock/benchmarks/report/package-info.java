/**
 * Writes results as JSON, as tables and as charts.
 */
@NullMarked
package io.github.redislock.benchmarks.report;

import org.jspecify.annotations.NullMarked;
