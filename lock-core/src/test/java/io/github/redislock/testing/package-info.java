/**
 * What tests of several modules need: a real Redis.
 */
@NullMarked
package io.github.redislock.testing;

import org.jspecify.annotations.NullMarked;
