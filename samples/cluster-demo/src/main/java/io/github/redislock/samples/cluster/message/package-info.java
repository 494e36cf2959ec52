/**
 * What workers and the demonstration say to one another.
 */
@NullMarked
package io.github.redislock.samples.cluster.message;

import org.jspecify.annotations.NullMarked;
