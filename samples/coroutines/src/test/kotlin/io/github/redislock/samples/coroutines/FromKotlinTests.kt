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
 * Locks by hand in idiomatic Kotlin: without casts, type arguments or names of Java's
 * interfaces.
 */
class FromKotlinTests {

    private val template = LockTemplate(InMemoryLockStore(), LockConfiguration.defaults())

    private val locks: LockOperations = template

    private val lease = LockOptions.options().timeout(Duration.ofSeconds(10))

    @AfterEach
    fun close() = template.close()

    @Test
    fun workRepliesAValue() {
        val stock: Int = locks.execute("stock:7") { lock -> if (lock.isHeld) 42 else 0 }
        val token: Long = locks.execute(LockTarget.of("stock", 7), lease) { lock -> lock.fencingToken() }
        assertThat(stock).isEqualTo(42)
        assertThat(token).isPositive()
    }

    @Test
    fun workRepliesNothing() {
        var booked = 0
        locks.execute("stock:7") { _ -> booked++ }
        locks.execute("stock:7", lease) { _ -> book { booked++ } }
        assertThat(booked).isEqualTo(2)
    }

    @Test
    fun workMayReplyNull() {
        val none: String? = locks.execute("stock:7") { _ -> null }
        assertThat(none).isNull()
    }

    @Test
    fun workFailsAsItDoesElsewhere() {
        assertThatExceptionOfType(IOException::class.java).isThrownBy {
            locks.execute("stock:7") { _ -> throw IOException("disk full") }
        }
        assertThat(locks.isLocked("stock:7")).isFalse()
    }

    @Test
    fun lockIsUsedAndReleased() {
        locks.acquire("stock:7", lease).use { lock -> assertThat(lock.fencingToken()).isPositive() }
        assertThat(locks.isLocked("stock:7")).isFalse()
    }

    @Test
    fun busyLockIsNull() {
        val held: LockHandle? = locks.tryAcquire("stock:7", lease.reentrant(false))
        val other = locks.tryAcquire("stock:7", lease.reentrant(false))?.use { "got it" } ?: "somebody else has it"
        assertThat(other).isEqualTo("somebody else has it")
        held?.close()
        assertThat(locks.isLocked("stock:7")).isFalse()
    }

    @Test
    fun workGoesOnWithItsFuture() {
        val async = template.async()
        val done = async.execute("stock:7") { lock -> CompletableFuture.completedFuture(lock.fencingToken()) }
        assertThat(done.get(5, SECONDS)).isPositive()
    }

    private fun book(how: () -> Unit) = how()

}
