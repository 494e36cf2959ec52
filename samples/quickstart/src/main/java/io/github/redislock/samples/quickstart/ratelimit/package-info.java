/**
 * Limit how often a user may call. The lock is kept for a few seconds after the work.
 */
@NullMarked
package io.github.redislock.samples.quickstart.ratelimit;

import org.jspecify.annotations.NullMarked;
