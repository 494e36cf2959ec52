/**
 * Tests of applications that are processed ahead of time, as for native images.
 */
@NullMarked
package io.github.redislock.aot;

import org.jspecify.annotations.NullMarked;
