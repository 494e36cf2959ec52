/**
 * Measures how often several JVMs load the values of a shared cache, and how long their
 * callers wait.
 */
@NullMarked
package io.github.redislock.benchmarks.cache;

import org.jspecify.annotations.NullMarked;
