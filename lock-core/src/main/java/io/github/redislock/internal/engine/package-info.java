/**
 * The engine between callers and the store. It waits, renews, releases, and detects
 * losses. Whether a lock is still the caller's is its {@code Standing}, the table of
 * which is the life of a lock.
 * <p>
 * <b>Objects.</b> A caller's wait is an {@code Acquisition}. It joins a
 * {@code LocalQueue}, which callers of this process that want the same lock usually
 * share. One {@code PendingRequest} represents the whole queue in the store. When the
 * store grants it, a {@code Tenure} begins: the time for which this process keeps the
 * lock, under one owner token, with one {@code Lease} and one {@code Renewal}. During a
 * tenure the lock passes from {@code Hold} to {@code Hold}; a hold is what one caller
 * has, and what its handle refers to.
 * <p>
 * <b>Threads.</b> The engine has one thread for its own work, the timer's. Other threads
 * complete futures and run the code of users. Everything else runs on the thread that
 * reports an event: a caller's, or one on which the store replies. Only blocking callers
 * wait for an acquisition or a reply, and so does a thread that closes or suspends the
 * engine.
 * <p>
 * <b>Three rules</b> keep the state consistent:
 * <ul>
 * <li><i>Confinement.</i> The waiters of a queue, its request, and which tenure it has
 * change only in steps of the {@code LocalQueue}. A step that calls other code cannot be
 * re-entered; what that code submits runs afterwards.</li>
 * <li><i>Small monitors.</i> {@code Hold}, {@code Renewal}, {@code Lease} and
 * {@code Renewer} can be used from any thread. Each decides under its own monitor, and
 * calls listeners and users' actions only after leaving it. Nested monitors are taken in
 * one order: a hold's first, the timer's last. Error Prone checks the fields marked
 * {@code @GuardedBy}.</li>
 * <li><i>Immutable values.</i> Requests, replies and settings are immutable records.</li>
 * </ul>
 * <p>
 * <b>Why a late reply does no harm.</b> A deadline counts from before its request was
 * sent, so a slow reply only shortens the time for which a holder trusts the lock. A
 * deadline that has passed ends the hold for good, whatever a later reply says. Each
 * tenure has its own owner token (unless a caller has set one), and the store compares
 * it: a renewal or a release that arrives after another owner got the lock changes
 * nothing. The same request may be sent again, because the store recognizes it. If a
 * request that is given up may still take effect, it is withdrawn.
 */
@NullMarked
package io.github.redislock.internal.engine;

import org.jspecify.annotations.NullMarked;
