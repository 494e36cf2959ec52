/**
 * What the auto-configuration and the module of a quorum share. Internal.
 */
@NullMarked
package io.github.redislock.internal.autoconfigure;

import org.jspecify.annotations.NullMarked;
