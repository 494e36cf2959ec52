/**
 * Refuse a late write of a holder whose lock has gone to another instance.
 */
@NullMarked
package io.github.redislock.samples.quickstart.fencing;

import org.jspecify.annotations.NullMarked;
