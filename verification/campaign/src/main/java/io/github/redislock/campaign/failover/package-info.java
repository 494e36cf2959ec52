/**
 * What a fail-over costs: this library and others under load while masters are replaced.
 */
@NullMarked
package io.github.redislock.campaign.failover;

import org.jspecify.annotations.NullMarked;
