/**
 * The code of the child processes: the loads, and the guard that checks them.
 */
@NullMarked
package io.github.redislock.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
