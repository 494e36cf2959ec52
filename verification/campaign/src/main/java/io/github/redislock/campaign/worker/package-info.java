/**
 * The processes that contend for locks.
 */
@NullMarked
package io.github.redislock.campaign.worker;

import org.jspecify.annotations.NullMarked;
