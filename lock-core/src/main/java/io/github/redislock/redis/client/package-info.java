/**
 * Separate connections for locks with Lettuce, Jedis or another client, with scripts,
 * subscriptions and the meaning of errors. Internal.
 */
@NullMarked
package io.github.redislock.redis.client;

import org.jspecify.annotations.NullMarked;
