/**
 * Fences that refuse a write if a later holder of the lock has already written.
 */
@NullMarked
package io.github.redislock.fencing;

import org.jspecify.annotations.NullMarked;
