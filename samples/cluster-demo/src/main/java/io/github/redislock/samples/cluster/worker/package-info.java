/**
 * One of the processes that contend for the lock.
 */
@NullMarked
package io.github.redislock.samples.cluster.worker;

import org.jspecify.annotations.NullMarked;
