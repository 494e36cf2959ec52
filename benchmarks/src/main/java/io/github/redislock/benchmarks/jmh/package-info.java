/**
 * Measurements within one process, by JMH.
 */
@NullMarked
package io.github.redislock.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
