package io.github.redislock.samples.coroutines

import io.github.redislock.LockLostException
import io.github.redislock.LockNotAcquiredException
import io.github.redislock.LockTarget
import io.github.redislock.annotation.EnableDistributedLocks
import io.github.redislock.reactive.ReactiveLockContext
import io.github.redislock.redis.RedisLockTemplate
import io.github.redislock.testing.TestRedis
import java.time.Duration
import java.util.UUID
import java.util.concurrent.CancellationException
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.getBean
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.data.redis.core.StringRedisTemplate

/**
 * Redis holds the lock of a suspending function exactly as long as the function runs.
 */
@Tag("promise-13")
class SeatsTests {

    private val concert = UUID.randomUUID().toString()

    private val seats: Seats = context.getBean()

    private val hall: ControlledHall = context.getBean<ControlledHall>().also { it.reset() }

    @Test
    fun lockIsHeldUntilTheFunctionReturns() = test {
        val booked = begin { seats.book(concert) }
        assertThat(hall.token.get()).isPositive()
        hall.end.complete(7)
        assertThat(booked.await()).isEqualTo(7)
        assertThat(isLocked()).isFalse()
    }

    @Test
    fun lockIsHeldUntilTheFunctionFails() = test {
        val booked = begin { seats.book(concert) }
        hall.end.completeExceptionally(IllegalStateException("sold out"))
        assertThat(runCatching { booked.await() }.exceptionOrNull()).isInstanceOf(IllegalStateException::class.java)
            .hasMessage("sold out")
        assertThat(isLocked()).isFalse()
    }

    @Test
    fun lockIsHeldUntilTheFunctionIsCancelled() = test {
        val booked = begin { seats.book(concert) }
        booked.cancel()
        eventually { hall.cancelled.get() == 1 }
        eventually { !isLocked() }
    }

    @Test
    fun cancelledWaitLeavesTheQueue() = test {
        val held = others.acquire(LockTarget.of("seats", concert))
        val booked = async(Dispatchers.Default) { seats.book(concert) }
        eventually { waiters() == 1L }
        booked.cancel()
        eventually { waiters() == 0L }
        held.release()
        assertThat(hall.calls.get()).isZero()
        assertThat(isLocked()).isFalse()
    }

    @Test
    fun functionThatIsNeverStartedAcquiresNoLock() = test {
        val booked = async(start = CoroutineStart.LAZY) { seats.book(concert) }
        assertThat(isLocked()).isFalse()
        booked.cancel()
    }

    @Test
    fun functionFailsIfItsWaitTimesOut() = test {
        val held = others.acquire(LockTarget.of("seats", concert))
        assertThat(runCatching { seats.bookSoon(concert) }.exceptionOrNull())
            .isInstanceOf(LockNotAcquiredException::class.java)
        assertThat(held.release().name).isEqualTo("RELEASED")
        assertThat(hall.calls.get()).isZero()
    }

    @Test
    fun functionIsRefusedAtOnceIfTooManyWait() = test {
        val held = others.acquire(LockTarget.of("seats", concert))
        val booked = async(Dispatchers.Default) { seats.bookUnlessCrowded(concert) }
        eventually { waiters() == 1L }
        val refused = runCatching { seats.bookUnlessCrowded(concert) }.exceptionOrNull() as LockNotAcquiredException
        assertThat(refused.waitingCallers).isEqualTo(1)
        hall.end.complete(7)
        held.release()
        assertThat(booked.await()).isEqualTo(7)
    }

    @Test
    fun lockIsHandedOverToTheFunction() = test {
        val held = others.acquire(LockTarget.of("seats", concert))
        val booked = async(Dispatchers.Default) { seats.book(concert) }
        eventually { waiters() == 1L }
        assertThat(hall.calls.get()).isZero()
        // End the work first, because a handed-over lock is only claimed for a moment.
        hall.end.complete(7)
        held.release()
        assertThat(booked.await()).isEqualTo(7)
        assertThat(hall.token.get()).isGreaterThan(held.fencingToken())
    }

    @Test
    fun busyLockSkipsTheFunction() = test {
        val held = others.acquire(LockTarget.of("seats", concert))
        assertThat(seats.bookIfFree(concert)).isNull()
        seats.clean(concert)
        assertThat(hall.calls.get()).isZero()
        held.release()
    }

    @Test
    fun busyLockRunsTheSuspendingFallback() = test {
        val held = others.acquire(LockTarget.of("seats", concert))
        assertThat(seats.bookOrQueue(concert)).isEqualTo(-1)
        assertThat(hall.calls.get()).isZero()
        held.release()
    }

    @Test
    fun functionFailsAtItsEndIfItsLockWasLost() = test {
        val booked = begin { seats.bookShortly(concert) }
        val thief = steal()
        delay(700)
        assertThat(booked.isCompleted).isFalse()
        hall.end.complete(7)
        assertThat(runCatching { booked.await() }.exceptionOrNull()).isInstanceOf(LockLostException::class.java)
        assertThat(thief.verify()).isTrue()
        thief.release()
    }

    @Test
    fun lossCancelsTheFunction() = test {
        val booked = begin { seats.bookOrStop(concert) }
        val thief = steal()
        assertThat(runCatching { booked.await() }.exceptionOrNull()).isInstanceOf(LockLostException::class.java)
        eventually { hall.cancelled.get() == 1 }
        thief.release()
    }

    @Test
    fun functionRunsOnTheDispatcherOfItsCaller() = test {
        hall.end.complete(7)
        withContext(Dispatchers.IO) { seats.book(concert) }
        assertThat(hall.thread).startsWith("DefaultDispatcher")
    }

    @Test
    fun nestedFunctionReentersItsLock() = test {
        hall.nested = { seats.bookSoon(it) }
        hall.end.complete(7)
        assertThat(seats.book(concert)).isEqualTo(7)
        assertThat(hall.calls.get()).isEqualTo(2)
        assertThat(isLocked()).isFalse()
    }

    @Test
    fun flowIsCollectedUnderTheLock() = test {
        hall.end.complete(7)
        assertThat(seats.all(concert).toList()).containsExactly(1, 2, 7)
        assertThat(hall.lockedWhileCollected).containsExactly(true, true, true)
        assertThat(isLocked()).isFalse()
        assertThat(seats.listed(concert).toList()).containsExactly(1, 2, 7)
        assertThat(hall.lockedWhileCollected).hasSize(6).containsOnly(true)
        assertThat(isLocked()).isFalse()
    }

    private fun test(block: suspend kotlinx.coroutines.CoroutineScope.() -> Unit) = runBlocking {
        hall.isLocked = ::isLocked
        withTimeout(PATIENCE.toMillis()) { kotlinx.coroutines.supervisorScope { block() } }
    }

    /** Start a function and wait until its code is reached. */
    private suspend fun kotlinx.coroutines.CoroutineScope.begin(call: suspend () -> Int): Deferred<Int> {
        val started = async(Dispatchers.Default) { call() }
        eventually { hall.calls.get() == 1 }
        assertThat(isLocked()).isTrue()
        assertThat(started.isCompleted).isFalse()
        return started
    }

    private suspend fun eventually(condition: () -> Boolean) {
        while (!condition()) {
            delay(5)
        }
    }

    private fun isLocked() = redis.hasKey("distributed_lock:seats:$concert")

    private fun waiters() = redis.opsForZSet().zCard("{distributed_lock:seats:$concert}:queue")

    private fun steal() = LockTarget.of("seats", concert).let {
        others.forceRelease(it)
        others.acquire(it)
    }

    companion object {

        private val PATIENCE = Duration.ofSeconds(30)

        private lateinit var context: AnnotationConfigApplicationContext

        private lateinit var others: RedisLockTemplate

        private lateinit var redis: StringRedisTemplate

        @BeforeAll
        @JvmStatic
        fun start() {
            context = AnnotationConfigApplicationContext(Application::class.java)
            others = RedisLockTemplate(TestRedis.shared().connectionFactory())
            redis = StringRedisTemplate(TestRedis.shared().connectionFactory())
            // Connect first, because short leases have short timeouts.
            listOf(others, context.getBean<RedisLockTemplate>()).forEach { it.acquire(LockTarget.of("seats")).close() }
        }

        @AfterAll
        @JvmStatic
        fun stop() {
            others.close()
            context.close()
        }

    }

    /** Ends its work when the test completes it. */
    class ControlledHall : Hall {

        @Volatile
        lateinit var end: CompletableDeferred<Int>

        @Volatile
        var nested: (suspend (String) -> Int)? = null

        @Volatile
        var thread: String = ""

        @Volatile
        lateinit var isLocked: () -> Boolean

        val lockedWhileCollected = mutableListOf<Boolean>()

        val calls = AtomicInteger()

        val cancelled = AtomicInteger()

        val token = AtomicLong()

        fun reset() {
            end = CompletableDeferred()
            nested = null
            lockedWhileCollected.clear()
            calls.set(0)
            cancelled.set(0)
            token.set(0)
        }

        override suspend fun book(concert: String): Int {
            token.set(ReactiveLockContext.current().awaitSingle().fencingToken())
            calls.incrementAndGet()
            thread = Thread.currentThread().name
            nested?.let {
                nested = null
                it(concert)
            }
            try {
                return end.await()
            } catch (ex: CancellationException) {
                cancelled.incrementAndGet()
                throw ex
            }
        }

        override suspend fun queue(concert: String, busy: LockNotAcquiredException): Int = -1

        override fun seats(concert: String): Flow<Int> = flow {
            listOf(1, 2, end.await()).forEach {
                lockedWhileCollected.add(isLocked())
                emit(it)
            }
        }

    }

    @Configuration(proxyBeanMethods = false)
    @EnableDistributedLocks
    open class Application {

        @Bean
        open fun locks() = RedisLockTemplate(TestRedis.shared().connectionFactory())

        @Bean
        open fun hall() = ControlledHall()

        @Bean
        open fun seats(hall: Hall) = Seats(hall)

    }

}
