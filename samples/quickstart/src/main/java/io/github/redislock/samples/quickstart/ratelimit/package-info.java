/**
 * Limit how often a user may call. The lock is kept for a few seconds, even if the work
 * ends sooner.
 */
@NullMarked
package io.github.redislock.samples.quickstart.ratelimit;

import org.jspecify.annotations.NullMarked;
