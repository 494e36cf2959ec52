/**
 * Support for Spring's transactions. Needs spring-tx only if there are transactions.
 */
@NullMarked
package io.github.redislock.transaction;

import org.jspecify.annotations.NullMarked;
