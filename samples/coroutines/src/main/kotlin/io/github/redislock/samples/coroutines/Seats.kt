package io.github.redislock.samples.coroutines

import io.github.redislock.LockNotAcquiredException
import io.github.redislock.OnLost
import io.github.redislock.annotation.DistributedLock
import io.github.redislock.annotation.IfLocked
import kotlinx.coroutines.flow.Flow

/**
 * Books seats at concerts. Each lock is held until the function or its flow ends, however many times it is suspended.
 * The function does not block a thread while it waits for the lock.
 *
 * The class is open because Spring's proxies require that. Applications usually use Kotlin's compiler plugin for
 * Spring, which opens classes with Spring's annotations.
 */
open class Seats(private val hall: Hall) {

    @DistributedLock(name = "seats", key = "#concert", waitTime = "20s")
    open suspend fun book(concert: String): Int = hall.book(concert)

    @DistributedLock(name = "seats", key = "#concert", waitTime = "100ms")
    open suspend fun bookSoon(concert: String): Int = hall.book(concert)

    @DistributedLock(name = "seats", key = "#concert", waitTime = "20s", maxWaiters = 1)
    open suspend fun bookUnlessCrowded(concert: String): Int = hall.book(concert)

    @DistributedLock(name = "seats", key = "#concert", ifLocked = IfLocked.SKIP)
    open suspend fun bookIfFree(concert: String): Int? = hall.book(concert)

    @DistributedLock(name = "seats", key = "#concert", ifLocked = IfLocked.SKIP)
    open suspend fun clean(concert: String) {
        hall.book(concert)
    }

    @DistributedLock(name = "seats", key = "#concert", retry = 0, fallback = "queue")
    open suspend fun bookOrQueue(concert: String): Int = hall.book(concert)

    @DistributedLock(name = "seats", key = "#concert", waitTime = "20s", timeout = "900ms")
    open suspend fun bookShortly(concert: String): Int = hall.book(concert)

    @DistributedLock(name = "seats", key = "#concert", waitTime = "20s", timeout = "900ms", onLost = [OnLost.INTERRUPT])
    open suspend fun bookOrStop(concert: String): Int = hall.book(concert)

    @DistributedLock(name = "seats", key = "#concert", waitTime = "20s")
    open fun all(concert: String): Flow<Int> = hall.seats(concert)

    @DistributedLock(name = "seats", key = "#concert", waitTime = "20s")
    open suspend fun listed(concert: String): Flow<Int> = hall.seats(concert)

    private suspend fun queue(concert: String, busy: LockNotAcquiredException): Int = hall.queue(concert, busy)

}
