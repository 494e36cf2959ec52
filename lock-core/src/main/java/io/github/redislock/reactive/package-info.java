/**
 * Locks for Project Reactor.
 */
@NullMarked
package io.github.redislock.reactive;

import org.jspecify.annotations.NullMarked;
