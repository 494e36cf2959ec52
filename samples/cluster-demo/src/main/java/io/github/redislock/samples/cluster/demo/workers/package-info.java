/**
 * The worker processes, and what is done to them.
 */
@NullMarked
package io.github.redislock.samples.cluster.demo.workers;

import org.jspecify.annotations.NullMarked;
