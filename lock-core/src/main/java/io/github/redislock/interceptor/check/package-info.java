/**
 * Checks at the start: locked methods that no proxy reaches, and orders of advice in
 * which a lock would not protect. Not for users.
 */
@NullMarked
package io.github.redislock.interceptor.check;

import org.jspecify.annotations.NullMarked;
