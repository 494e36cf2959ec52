/**
 * Measurements within one process, with JMH.
 */
@NullMarked
package io.github.redislock.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
