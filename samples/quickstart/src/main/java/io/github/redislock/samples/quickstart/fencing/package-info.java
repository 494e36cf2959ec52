/**
 * Refuse what a holder writes whose lock has gone on to somebody else.
 */
@NullMarked
package io.github.redislock.samples.quickstart.fencing;

import org.jspecify.annotations.NullMarked;
