/**
 * Reads lock declarations: names, keys, durations and permits, and evaluates them for a
 * call. Not for users, but for annotations of other libraries.
 */
@NullMarked
package io.github.redislock.interceptor.declaration;

import org.jspecify.annotations.NullMarked;
