/**
 * Locks for Spring Integration.
 */
@NullMarked
package io.github.redislock.integration;

import org.jspecify.annotations.NullMarked;
