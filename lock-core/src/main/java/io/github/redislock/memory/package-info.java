/**
 * Locks within one process, with a clock that tests can move.
 */
@NullMarked
package io.github.redislock.memory;

import org.jspecify.annotations.NullMarked;
