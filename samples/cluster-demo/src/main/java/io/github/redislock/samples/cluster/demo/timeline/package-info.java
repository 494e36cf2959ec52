/**
 * The events of the workers and of Redis, in the order in which they were reported.
 */
@NullMarked
package io.github.redislock.samples.cluster.demo.timeline;

import org.jspecify.annotations.NullMarked;
