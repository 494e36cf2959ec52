/**
 * The public API for locks that several processes share.
 * <p>
 * This package does not depend on how locks are acquired or where they are stored.
 */
@NullMarked
package io.github.redislock;

import org.jspecify.annotations.NullMarked;
