/**
 * A small shop whose packages show uses of a distributed lock.
 */
@NullMarked
package io.github.redislock.samples.quickstart;

import org.jspecify.annotations.NullMarked;
