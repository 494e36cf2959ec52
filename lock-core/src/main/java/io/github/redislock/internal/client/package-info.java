/**
 * Connections for locks with Lettuce, Jedis or another client: sending scripts, receiving
 * messages and interpreting errors. Internal.
 */
@NullMarked
package io.github.redislock.internal.client;

import org.jspecify.annotations.NullMarked;
