/**
 * Support for testing Spring Boot applications that use locks, without Redis.
 */
@NullMarked
package io.github.redislock.autoconfigure.test;

import org.jspecify.annotations.NullMarked;
