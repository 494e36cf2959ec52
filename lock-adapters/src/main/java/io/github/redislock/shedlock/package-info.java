/**
 * Locks as ShedLock wants them.
 */
@NullMarked
package io.github.redislock.shedlock;

import org.jspecify.annotations.NullMarked;
