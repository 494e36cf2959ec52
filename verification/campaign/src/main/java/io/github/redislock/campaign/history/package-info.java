/**
 * The recorded history of the locks, and its checks.
 */
@NullMarked
package io.github.redislock.campaign.history;

import org.jspecify.annotations.NullMarked;
