/**
 * The metrics of the workers' locks.
 */
@NullMarked
package io.github.redislock.samples.cluster.demo.metrics;

import org.jspecify.annotations.NullMarked;
