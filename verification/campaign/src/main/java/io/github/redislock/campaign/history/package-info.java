/**
 * What happened to the locks, and whether it may happen.
 */
@NullMarked
package io.github.redislock.campaign.history;

import org.jspecify.annotations.NullMarked;
