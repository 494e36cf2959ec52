/**
 * Locks and Spring's transactions. Needs spring-tx only where there are any.
 */
@NullMarked
package io.github.redislock.transaction;

import org.jspecify.annotations.NullMarked;
