/**
 * Refuse late writes of a former holder after a later holder has written.
 */
@NullMarked
package io.github.redislock.samples.quickstart.fencing;

import org.jspecify.annotations.NullMarked;
