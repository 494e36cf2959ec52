/**
 * Applications that are processed ahead of time, for native images.
 */
@NullMarked
package io.github.redislock.aot;

import org.jspecify.annotations.NullMarked;
