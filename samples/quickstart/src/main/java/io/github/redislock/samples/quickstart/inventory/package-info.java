/**
 * Sell no more than is in stock, because callers wait for one another.
 */
@NullMarked
package io.github.redislock.samples.quickstart.inventory;

import org.jspecify.annotations.NullMarked;
