/**
 * Let a user call once in a while: the lock stays closed after the work.
 */
@NullMarked
package io.github.redislock.samples.quickstart.ratelimit;

import org.jspecify.annotations.NullMarked;
