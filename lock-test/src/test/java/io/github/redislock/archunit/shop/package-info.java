/**
 * An application in which all locks work.
 */
@NullMarked
package io.github.redislock.archunit.shop;

import org.jspecify.annotations.NullMarked;
