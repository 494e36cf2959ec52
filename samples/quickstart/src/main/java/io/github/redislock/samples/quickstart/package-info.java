/**
 * A small shop in which every use of a distributed lock has its own package.
 */
@NullMarked
package io.github.redislock.samples.quickstart;

import org.jspecify.annotations.NullMarked;
