/**
 * Load a value of a Spring cache once for all instances.
 */
@NullMarked
package io.github.redislock.samples.quickstart.quote;

import org.jspecify.annotations.NullMarked;
