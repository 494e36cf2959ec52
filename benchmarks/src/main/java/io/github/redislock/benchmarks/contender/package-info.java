/**
 * The contenders: one class for each library, and the lower limits.
 */
@NullMarked
package io.github.redislock.benchmarks.contender;

import org.jspecify.annotations.NullMarked;
