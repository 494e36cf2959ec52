/**
 * Runs processes that contend for locks, causes faults around them, and checks the
 * outcome.
 */
@NullMarked
package io.github.redislock.campaign;

import org.jspecify.annotations.NullMarked;
