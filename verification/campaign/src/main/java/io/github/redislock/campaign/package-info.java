/**
 * Runs processes that contend for locks, causes faults, and checks the recorded events.
 */
@NullMarked
package io.github.redislock.campaign;

import org.jspecify.annotations.NullMarked;
