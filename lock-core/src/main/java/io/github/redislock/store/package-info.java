/**
 * The store of locks: {@link io.github.redislock.store.LockStore}, to be implemented for
 * another kind of store, with its requests and their results.
 */
@NullMarked
package io.github.redislock.store;

import org.jspecify.annotations.NullMarked;
