/**
 * Locks as Spring Integration wants them.
 */
@NullMarked
package io.github.redislock.integration;

import org.jspecify.annotations.NullMarked;
