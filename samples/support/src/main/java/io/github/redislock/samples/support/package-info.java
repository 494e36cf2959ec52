/**
 * A Redis for the samples, and an end that leaves nothing behind.
 */
@NullMarked
package io.github.redislock.samples.support;

import org.jspecify.annotations.NullMarked;
