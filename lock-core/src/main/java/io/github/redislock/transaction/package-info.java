/**
 * Support for Spring's transactions. The dependency spring-tx is optional.
 */
@NullMarked
package io.github.redislock.transaction;

import org.jspecify.annotations.NullMarked;
