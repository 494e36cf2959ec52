/**
 * The engine between callers and the store. It waits, renews, releases, and detects
 * losses. Public types are {@link io.github.redislock.engine.LockTemplate}, its
 * configuration and its timer.
 * <p>
 * <b>Objects.</b> A caller's wait is an {@code Acquisition}. It joins the
 * {@code LocalQueue} of its lock, in which the callers of this process wait. One
 * {@code PendingRequest} represents the whole queue in the store. When the store grants
 * it, a {@code Tenure} begins: the time for which this process keeps the lock, under one
 * owner token, with one {@code LeaseDeadline} and one {@code Renewal}. During a tenure
 * the lock passes from {@code Hold} to {@code Hold}; a hold is what one caller has, and
 * what its handle refers to.
 * <p>
 * <b>Threads.</b> The engine itself has one thread, the timer's; other threads run the
 * code of users. Everything else runs on the thread that reports an event: a caller's, or
 * one on which the store replies. None of them waits for another, except for blocking
 * callers, which wait for an acquisition or a reply, and a thread that closes the engine.
 * <p>
 * <b>Three rules</b> keep the state consistent:
 * <ul>
 * <li><i>Confinement.</i> A queue, its request, and the beginning and end of its tenures
 * change only in steps of a {@code SerialExecutor}, which hands out the confined object.
 * A step that calls other code cannot be re-entered; what that code submits runs
 * afterwards.</li>
 * <li><i>Small monitors.</i> {@code Hold}, {@code Renewal}, {@code LeaseDeadline} and
 * {@code Renewer} can be used from any thread. Each decides under its own monitor, and
 * notifies others after leaving it, so no callback runs inside one. The few nested locks
 * are taken in one order: hold, renewal, renewer, timer, and a lease or a loss last.
 * Error Prone checks the fields marked {@code @GuardedBy}.</li>
 * <li><i>Immutable values.</i> These objects exchange records: requests, replies, grants
 * and settings.</li>
 * </ul>
 * <p>
 * <b>Why a late reply does no harm.</b> A deadline counts from before its request was
 * sent, so a reply can only make a holder trust the lock for too short a time. A deadline
 * that has passed ends the hold for good, whatever a later reply says. Each tenure has
 * its own owner token (unless a caller has set one), and every script compares it: a
 * renewal or a release that arrives late finds another token and changes nothing. The
 * same request may be sent again as often as needed, because the store recognizes it. A
 * request that ended is withdrawn, and the store remembers that for as long as a copy of
 * it may still arrive.
 */
@NullMarked
package io.github.redislock.engine;

import org.jspecify.annotations.NullMarked;
