/**
 * Work through a batch in the background on one instance, and tell the others.
 */
@NullMarked
package io.github.redislock.samples.quickstart.batch;

import org.jspecify.annotations.NullMarked;
