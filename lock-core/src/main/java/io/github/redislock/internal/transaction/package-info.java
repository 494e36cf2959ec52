/**
 * Connects locks to Spring's transactions. The dependency spring-tx is optional.
 * Internal.
 */
@NullMarked
package io.github.redislock.internal.transaction;

import org.jspecify.annotations.NullMarked;
