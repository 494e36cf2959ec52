/**
 * Support for testing Spring Boot applications that take locks, without Redis.
 */
@NullMarked
package io.github.redislock.autoconfigure.test;

import org.jspecify.annotations.NullMarked;
