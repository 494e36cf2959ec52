/**
 * The messages between workers and the demonstration.
 */
@NullMarked
package io.github.redislock.samples.cluster.message;

import org.jspecify.annotations.NullMarked;
