/**
 * What an application looks like whose locks are all taken.
 */
@NullMarked
package io.github.redislock.archunit.shop;

import org.jspecify.annotations.NullMarked;
