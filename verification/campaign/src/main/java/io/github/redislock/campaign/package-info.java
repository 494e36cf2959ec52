/**
 * Runs processes that contend for locks, breaks what is around them, and checks the
 * outcome.
 */
@NullMarked
package io.github.redislock.campaign;

import org.jspecify.annotations.NullMarked;
