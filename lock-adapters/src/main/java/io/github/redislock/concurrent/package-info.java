/**
 * Locks as {@link java.util.concurrent.locks.Lock}, for code written against it.
 */
@NullMarked
package io.github.redislock.concurrent;

import org.jspecify.annotations.NullMarked;
