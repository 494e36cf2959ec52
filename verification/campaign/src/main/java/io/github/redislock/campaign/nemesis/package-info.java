/**
 * All faults around a lock.
 */
@NullMarked
package io.github.redislock.campaign.nemesis;

import org.jspecify.annotations.NullMarked;
