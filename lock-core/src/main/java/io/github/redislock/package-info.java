/**
 * Locks that several processes share, as users call and see them.
 * <p>
 * Nothing here knows how they are acquired, nor where they are kept.
 */
@NullMarked
package io.github.redislock;

import org.jspecify.annotations.NullMarked;
