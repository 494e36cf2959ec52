/**
 * The process that starts the workers, watches them, and shows what they do.
 */
@NullMarked
package io.github.redislock.samples.cluster.demo;

import org.jspecify.annotations.NullMarked;
