/**
 * The contenders: one class for each library, and baselines that do the least work that a
 * lock needs.
 */
@NullMarked
package io.github.redislock.benchmarks.contender;

import org.jspecify.annotations.NullMarked;
