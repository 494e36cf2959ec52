/**
 * Reads lock declarations: names, keys, durations and permits, and evaluates them for a
 * call. For libraries that have their own annotations, not for applications.
 */
@NullMarked
package io.github.redislock.internal.interceptor.declaration;

import org.jspecify.annotations.NullMarked;
