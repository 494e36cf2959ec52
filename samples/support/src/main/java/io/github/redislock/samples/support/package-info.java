/**
 * A Redis for the samples, and a clean end.
 */
@NullMarked
package io.github.redislock.samples.support;

import org.jspecify.annotations.NullMarked;
