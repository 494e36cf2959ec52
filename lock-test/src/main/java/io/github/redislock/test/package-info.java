/**
 * For the tests of applications that take locks: no Redis, and trouble on request.
 */
@NullMarked
package io.github.redislock.test;

import org.jspecify.annotations.NullMarked;
