/**
 * A small application, to measure what a library adds to its start.
 */
@NullMarked
package io.github.redislock.benchmarks.startup;

import org.jspecify.annotations.NullMarked;
