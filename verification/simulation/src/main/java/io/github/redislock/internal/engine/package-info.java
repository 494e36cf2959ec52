/**
 * Gives the simulation access to package-private types.
 */
@NullMarked
package io.github.redislock.internal.engine;

import org.jspecify.annotations.NullMarked;
