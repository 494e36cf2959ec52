/**
 * The servers that store the locks.
 */
@NullMarked
package io.github.redislock.campaign.deployment;

import org.jspecify.annotations.NullMarked;
