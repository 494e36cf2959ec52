/**
 * Ways to Redis: connections of the locks' own with Lettuce, Jedis or another client,
 * scripts and subscriptions on them, and what their errors mean. Not for users.
 */
@NullMarked
package io.github.redislock.redis.client;

import org.jspecify.annotations.NullMarked;
