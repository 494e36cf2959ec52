/**
 * Load a value once even if many callers need it. The other callers wait and share the
 * value.
 */
@NullMarked
package io.github.redislock.samples.quickstart.cache;

import org.jspecify.annotations.NullMarked;
