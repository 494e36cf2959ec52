/**
 * Locks that several processes share: what users call, the store that decides, and the
 * engine between them.
 * <p>
 * Nothing here knows where the locks are kept.
 */
@NullMarked
package io.github.redislock;

import org.jspecify.annotations.NullMarked;
