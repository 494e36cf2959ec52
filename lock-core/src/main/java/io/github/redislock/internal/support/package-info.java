/**
 * Basic types that several packages use: durations, leases, rules for names and keys, and
 * owner tokens. Internal.
 */
@NullMarked
package io.github.redislock.internal.support;

import org.jspecify.annotations.NullMarked;
