/**
 * Where locks are kept: {@link io.github.redislock.store.LockStore}, to be implemented
 * for another kind of store, with its questions and answers.
 */
@NullMarked
package io.github.redislock.store;

import org.jspecify.annotations.NullMarked;
