/**
 * The cases, and the command that runs them.
 */
@NullMarked
package io.github.redislock.benchmarks.runner;

import org.jspecify.annotations.NullMarked;
