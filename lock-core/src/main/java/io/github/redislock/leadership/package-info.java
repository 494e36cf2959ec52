/**
 * Long-term leadership: one of several instances has a role until it resigns or loses it.
 */
@NullMarked
package io.github.redislock.leadership;

import org.jspecify.annotations.NullMarked;
