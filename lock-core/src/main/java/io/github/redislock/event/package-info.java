/**
 * Events of locks, published as application events.
 */
@NullMarked
package io.github.redislock.event;

import org.jspecify.annotations.NullMarked;
