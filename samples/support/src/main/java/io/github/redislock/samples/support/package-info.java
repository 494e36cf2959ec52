/**
 * Starts a Redis for the samples, and cleans up when they end.
 */
@NullMarked
package io.github.redislock.samples.support;

import org.jspecify.annotations.NullMarked;
