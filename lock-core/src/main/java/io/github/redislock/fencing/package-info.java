/**
 * Fences that refuse writes of a holder whose lock has passed to another owner.
 */
@NullMarked
package io.github.redislock.fencing;

import org.jspecify.annotations.NullMarked;
