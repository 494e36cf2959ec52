/**
 * Work of the one instance that leads.
 */
@NullMarked
package io.github.redislock.samples.quickstart.price;

import org.jspecify.annotations.NullMarked;
