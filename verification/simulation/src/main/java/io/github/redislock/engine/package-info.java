/**
 * Bridges from the simulation to what is package-private.
 */
@NullMarked
package io.github.redislock.engine;

import org.jspecify.annotations.NullMarked;
