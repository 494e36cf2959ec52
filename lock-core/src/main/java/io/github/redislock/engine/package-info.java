/**
 * The engine between callers and the store: waits, renews, notices losses, releases.
 * <p>
 * Public are {@link io.github.redislock.engine.LockTemplate}, its configuration and its
 * clock.
 */
@NullMarked
package io.github.redislock.engine;

import org.jspecify.annotations.NullMarked;
