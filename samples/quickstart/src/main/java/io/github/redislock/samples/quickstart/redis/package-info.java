/**
 * A Redis for users who have configured none.
 */
@NullMarked
package io.github.redislock.samples.quickstart.redis;

import org.jspecify.annotations.NullMarked;
