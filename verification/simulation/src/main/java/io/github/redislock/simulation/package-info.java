/**
 * Runs the engine in virtual time, on one thread, under faults that are drawn.
 */
@NullMarked
package io.github.redislock.simulation;

import org.jspecify.annotations.NullMarked;
