/**
 * Locks within one process, with a clock that tests can advance.
 */
@NullMarked
package io.github.redislock.memory;

import org.jspecify.annotations.NullMarked;
