/**
 * A single-threaded Redis without a network, which runs the real scripts in a real Lua
 * interpreter, on a model of the commands that they use.
 */
@NullMarked
package io.github.redislock.simulation.redis;

import org.jspecify.annotations.NullMarked;
