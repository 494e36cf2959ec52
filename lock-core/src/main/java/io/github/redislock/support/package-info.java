/**
 * The base of all packages: durations and leases as people write them, texts that may
 * become names, owner tokens. Not for users.
 */
@NullMarked
package io.github.redislock.support;

import org.jspecify.annotations.NullMarked;
