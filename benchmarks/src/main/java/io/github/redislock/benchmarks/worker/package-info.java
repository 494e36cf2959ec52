/**
 * What runs in the child processes: the loads, and the guard that watches over them.
 */
@NullMarked
package io.github.redislock.benchmarks.worker;

import org.jspecify.annotations.NullMarked;
