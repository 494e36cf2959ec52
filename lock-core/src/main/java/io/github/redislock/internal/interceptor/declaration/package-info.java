/**
 * Reads lock declarations: names, keys, durations and permits, and evaluates them for a
 * call. Internal.
 */
@NullMarked
package io.github.redislock.internal.interceptor.declaration;

import org.jspecify.annotations.NullMarked;
