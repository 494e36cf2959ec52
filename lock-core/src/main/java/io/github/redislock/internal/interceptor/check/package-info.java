/**
 * Startup checks of locked and leader-only methods: whether a proxy intercepts them, and
 * whether their declarations are probably mistakes. Internal.
 */
@NullMarked
package io.github.redislock.internal.interceptor.check;

import org.jspecify.annotations.NullMarked;
