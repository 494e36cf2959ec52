package io.github.redislock.samples.coroutines

import io.github.redislock.LockHandle
import io.github.redislock.LockOperations
import io.github.redislock.LockOptions
import io.github.redislock.LockTarget
import io.github.redislock.engine.LockConfiguration
import io.github.redislock.engine.LockTemplate
import io.github.redislock.memory.InMemoryLockStore
import java.io.IOException
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test

/**
 * Locks without annotations in idiomatic Kotlin, without casts or names of Java's
 * interfaces. Kotlin infers no exception type, so the callers of `execute` declare that
 * they expect none.
 */
class FromKotlinTests {

    private val template = LockTemplate(InMemoryLockStore(), LockConfiguration.defaults())

    private val locks: LockOperations = template

    private val target = LockTarget.of("stock", 7)

    private val lease = LockOptions.options().timeout(Duration.ofSeconds(10))

    @AfterEach
    fun close() = template.close()

    @Test
    fun workReturnsAValue() {
        val stock: Int = locks.execute<_, Nothing>(target) { lock -> if (lock.isHeld) 42 else 0 }
        val token: Long = locks.execute<_, Nothing>(target, lease) { lock -> lock.fencingToken() }
        assertThat(stock).isEqualTo(42)
        assertThat(token).isPositive()
    }

    @Test
    fun workMayReturnNothing() {
        var booked = 0
        locks.execute<_, Nothing>(target) { _ -> booked++ }
        locks.execute<_, Nothing>(target, lease) { _ -> book { booked++ } }
        assertThat(booked).isEqualTo(2)
    }

    @Test
    fun workMayReturnNull() {
        val none: String? = locks.execute<_, Nothing>(target) { _ -> null }
        assertThat(none).isNull()
    }

    @Test
    fun exceptionOfTheWorkIsRethrown() {
        assertThatExceptionOfType(IOException::class.java).isThrownBy {
            locks.execute<_, Nothing>(target) { _ -> throw IOException("disk full") }
        }
        assertThat(locks.isLocked(target)).isFalse()
    }

    @Test
    fun useBlockReleasesTheLock() {
        locks.acquire(target, lease).use { lock -> assertThat(lock.fencingToken()).isPositive() }
        assertThat(locks.isLocked(target)).isFalse()
    }

    @Test
    fun tryAcquireOfABusyLockReturnsNull() {
        val held: LockHandle? = locks.tryAcquire(target, lease.reentrant(false))
        val other = locks.tryAcquire(target, lease.reentrant(false))?.use { "got it" } ?: "another caller has it"
        assertThat(other).isEqualTo("another caller has it")
        held?.close()
        assertThat(locks.isLocked(target)).isFalse()
    }

    @Test
    fun asyncWorkReturnsAFuture() {
        val async = template.async()
        val done = async.execute(target) { lock -> CompletableFuture.completedFuture(lock.fencingToken()) }
        assertThat(done.get(5, SECONDS)).isPositive()
    }

    private fun book(how: () -> Unit) = how()

}
