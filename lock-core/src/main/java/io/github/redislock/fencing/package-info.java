/**
 * Resources that refuse writes of a holder whose lock has gone on to somebody else.
 */
@NullMarked
package io.github.redislock.fencing;

import org.jspecify.annotations.NullMarked;
