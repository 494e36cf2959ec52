/**
 * An application all of whose locks work.
 */
@NullMarked
package io.github.redislock.archunit.shop;

import org.jspecify.annotations.NullMarked;
