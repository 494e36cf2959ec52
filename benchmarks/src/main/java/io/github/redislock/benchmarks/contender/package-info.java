/**
 * Those who are compared: one class for each library, and the least that can be sent.
 */
@NullMarked
package io.github.redislock.benchmarks.contender;

import org.jspecify.annotations.NullMarked;
