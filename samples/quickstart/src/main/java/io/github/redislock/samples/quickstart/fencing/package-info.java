/**
 * Refuse late writes of a holder whose lock was granted to another instance.
 */
@NullMarked
package io.github.redislock.samples.quickstart.fencing;

import org.jspecify.annotations.NullMarked;
