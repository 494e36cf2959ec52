/**
 * The interface {@link io.github.redislock.store.LockStore}, which can be implemented for
 * other kinds of stores, and its requests and results.
 */
@NullMarked
package io.github.redislock.store;

import org.jspecify.annotations.NullMarked;
