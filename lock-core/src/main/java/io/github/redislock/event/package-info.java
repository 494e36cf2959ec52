/**
 * Application events about locks.
 */
@NullMarked
package io.github.redislock.event;

import org.jspecify.annotations.NullMarked;
