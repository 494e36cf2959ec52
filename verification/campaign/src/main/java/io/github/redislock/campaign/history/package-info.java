/**
 * What happened to the locks, and the checks of it.
 */
@NullMarked
package io.github.redislock.campaign.history;

import org.jspecify.annotations.NullMarked;
