/**
 * Support for testing applications that use locks, without Redis and with simulated
 * failures.
 */
@NullMarked
package io.github.redislock.test;

import org.jspecify.annotations.NullMarked;
