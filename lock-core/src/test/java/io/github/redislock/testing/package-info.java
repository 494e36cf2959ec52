/**
 * What tests of several modules need: a real Redis, and pages whose code is run.
 */
@NullMarked
package io.github.redislock.testing;

import org.jspecify.annotations.NullMarked;
