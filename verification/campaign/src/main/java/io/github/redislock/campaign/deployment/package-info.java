/**
 * The servers that keep the locks, and how they belong together.
 */
@NullMarked
package io.github.redislock.campaign.deployment;

import org.jspecify.annotations.NullMarked;
