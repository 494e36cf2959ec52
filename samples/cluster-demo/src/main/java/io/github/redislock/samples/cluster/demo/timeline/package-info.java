/**
 * The events, in order.
 */
@NullMarked
package io.github.redislock.samples.cluster.demo.timeline;

import org.jspecify.annotations.NullMarked;
