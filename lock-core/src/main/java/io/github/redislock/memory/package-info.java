/**
 * Locks within one process, with a clock that tests can turn.
 */
@NullMarked
package io.github.redislock.memory;

import org.jspecify.annotations.NullMarked;
