/**
 * Sell no more than there is: callers wait for one another.
 */
@NullMarked
package io.github.redislock.samples.quickstart.inventory;

import org.jspecify.annotations.NullMarked;
