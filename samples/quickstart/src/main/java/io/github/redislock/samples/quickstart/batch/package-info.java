/**
 * Process a batch in the background on one instance, while the others report its
 * progress.
 */
@NullMarked
package io.github.redislock.samples.quickstart.batch;

import org.jspecify.annotations.NullMarked;
