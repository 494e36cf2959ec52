/**
 * The engine between callers and the store. It waits, renews, releases, and detects
 * losses.
 * <p>
 * Public types are {@link io.github.redislock.engine.LockTemplate}, its configuration and
 * its timer.
 */
@NullMarked
package io.github.redislock.engine;

import org.jspecify.annotations.NullMarked;
