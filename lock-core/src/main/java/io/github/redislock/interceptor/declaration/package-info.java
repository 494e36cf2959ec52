/**
 * Reads lock declarations: names, keys, durations and permits, and evaluates them for a
 * call. For annotations of other libraries, not for applications.
 */
@NullMarked
package io.github.redislock.interceptor.declaration;

import org.jspecify.annotations.NullMarked;
