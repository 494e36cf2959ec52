/**
 * Locks for code that uses the interface {@link java.util.concurrent.locks.Lock}.
 */
@NullMarked
package io.github.redislock.concurrent;

import org.jspecify.annotations.NullMarked;
