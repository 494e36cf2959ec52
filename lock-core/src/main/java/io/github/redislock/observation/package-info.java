/**
 * Metrics and traces of locks, with Micrometer.
 */
@NullMarked
package io.github.redislock.observation;

import org.jspecify.annotations.NullMarked;
