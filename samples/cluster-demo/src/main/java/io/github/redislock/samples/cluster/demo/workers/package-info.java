/**
 * Starts, stops and kills the worker processes.
 */
@NullMarked
package io.github.redislock.samples.cluster.demo.workers;

import org.jspecify.annotations.NullMarked;
