/**
 * Load a value once even if many callers need it. The others wait and share it.
 */
@NullMarked
package io.github.redislock.samples.quickstart.cache;

import org.jspecify.annotations.NullMarked;
