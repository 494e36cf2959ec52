/**
 * An embedded Redis for users who have not configured one.
 */
@NullMarked
package io.github.redislock.samples.quickstart.redis;

import org.jspecify.annotations.NullMarked;
