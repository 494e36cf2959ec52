/**
 * What a lock declaration says: reads names, keys, durations and permits, and evaluates
 * them for a call. Not for users, but for other annotations than ours.
 */
@NullMarked
package io.github.redislock.interceptor.declaration;

import org.jspecify.annotations.NullMarked;
