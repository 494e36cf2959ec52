/**
 * Runs the engine in virtual time, one thread at a time, under random faults.
 */
@NullMarked
package io.github.redislock.simulation;

import org.jspecify.annotations.NullMarked;
