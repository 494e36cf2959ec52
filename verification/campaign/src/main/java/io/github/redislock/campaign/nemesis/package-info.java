/**
 * The faults that the campaign causes.
 */
@NullMarked
package io.github.redislock.campaign.nemesis;

import org.jspecify.annotations.NullMarked;
