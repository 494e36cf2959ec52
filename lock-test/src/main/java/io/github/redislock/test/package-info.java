/**
 * For the tests of applications that take locks: without Redis, and with failures on
 * request.
 */
@NullMarked
package io.github.redislock.test;

import org.jspecify.annotations.NullMarked;
