/**
 * The events of the workers and of Redis, in the order in which they occurred.
 */
@NullMarked
package io.github.redislock.samples.cluster.demo.timeline;

import org.jspecify.annotations.NullMarked;
