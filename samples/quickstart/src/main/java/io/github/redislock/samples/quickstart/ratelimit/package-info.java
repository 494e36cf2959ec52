/**
 * Limit how often a user may call. The lock stays closed for a while after the work.
 */
@NullMarked
package io.github.redislock.samples.quickstart.ratelimit;

import org.jspecify.annotations.NullMarked;
