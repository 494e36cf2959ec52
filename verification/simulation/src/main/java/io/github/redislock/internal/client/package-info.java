/**
 * What the simulation needs of the real Redis clients.
 */
@NullMarked
package io.github.redislock.internal.client;

import org.jspecify.annotations.NullMarked;
