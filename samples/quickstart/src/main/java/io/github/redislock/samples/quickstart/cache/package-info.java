/**
 * Load a value once although many ask for it: the others wait and share it.
 */
@NullMarked
package io.github.redislock.samples.quickstart.cache;

import org.jspecify.annotations.NullMarked;
