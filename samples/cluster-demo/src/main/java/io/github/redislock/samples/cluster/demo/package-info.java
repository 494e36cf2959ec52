/**
 * The process that starts and watches the workers, and shows what they do.
 */
@NullMarked
package io.github.redislock.samples.cluster.demo;

import org.jspecify.annotations.NullMarked;
