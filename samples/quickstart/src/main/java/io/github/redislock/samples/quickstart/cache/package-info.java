/**
 * Load a value once although many callers need it: the others wait and share it.
 */
@NullMarked
package io.github.redislock.samples.quickstart.cache;

import org.jspecify.annotations.NullMarked;
