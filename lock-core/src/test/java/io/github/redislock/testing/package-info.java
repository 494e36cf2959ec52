/**
 * Support for the tests of several modules: a real Redis, and access to the code on
 * documentation pages.
 */
@NullMarked
package io.github.redislock.testing;

import org.jspecify.annotations.NullMarked;
