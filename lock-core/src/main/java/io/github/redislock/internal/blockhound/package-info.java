/**
 * Support for BlockHound, an optional dependency. Internal.
 */
@NullMarked
package io.github.redislock.internal.blockhound;

import org.jspecify.annotations.NullMarked;
