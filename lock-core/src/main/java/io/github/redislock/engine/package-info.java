/**
 * The engine between callers and the store: it waits, renews, detects losses and
 * releases.
 * <p>
 * Public types are {@link io.github.redislock.engine.LockTemplate}, its configuration and
 * its clock.
 */
@NullMarked
package io.github.redislock.engine;

import org.jspecify.annotations.NullMarked;
