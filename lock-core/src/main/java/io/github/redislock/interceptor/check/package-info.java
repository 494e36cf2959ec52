/**
 * Checks at startup: locked methods that no proxy reaches, and orders of advice in which
 * a lock would not protect. Internal.
 */
@NullMarked
package io.github.redislock.interceptor.check;

import org.jspecify.annotations.NullMarked;
