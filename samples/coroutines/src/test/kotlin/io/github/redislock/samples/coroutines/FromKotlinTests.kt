package io.github.redislock.samples.coroutines

import io.github.redislock.LockConfiguration
import io.github.redislock.LockContext
import io.github.redislock.LockHandle
import io.github.redislock.LockOperations
import io.github.redislock.LockOptions
import io.github.redislock.LockTarget
import io.github.redislock.annotation.DistributedLock
import io.github.redislock.annotation.EnableDistributedLocks
import io.github.redislock.memory.InMemoryLockStore
import io.github.redislock.redis.RedisLockTemplate
import java.io.IOException
import java.time.Duration
import java.util.Date
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.assertj.core.api.Assertions.assertThatIllegalArgumentException
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.getBean
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration

/**
 * Locks without annotations in idiomatic Kotlin, without casts or names of Java's
 * interfaces. Kotlin infers no exception type, so the callers of `execute` declare that
 * they expect none.
 */
class FromKotlinTests {

    private val template = RedisLockTemplate(InMemoryLockStore(), LockConfiguration.defaults())

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

    @Test
    fun valueClassIsTheSameKeyByAnnotationAndByHand() {
        AnnotationConfigApplicationContext(Application::class.java).use { context ->
            val orders = context.getBean<Orders>()
            val byHand = LockTarget.of("order", OrderId("7"))
            assertThat(orders.pay(OrderId("7"))).isEqualTo(byHand)
            assertThat(orders.payAll(listOf(OrderId("7")))).isEqualTo(byHand)
            assertThat(byHand.name()).isEqualTo("order:7")
        }
    }

    @Test
    fun dataClassWithADateIsNoKey() {
        assertThatIllegalArgumentException().isThrownBy { LockTarget.of("order", Due(OrderId("7"), Date(0))) }
            .withMessageContaining("whose 'component2' is a java.util.Date, whose text depends on the time zone")
        assertThat(LockTarget.of("order", Due(OrderId("7"), null)).name())
            .isEqualTo("order:Due(id=OrderId(id=7), date=null)")
    }

    private fun book(how: () -> Unit) = how()

    @JvmInline
    value class OrderId(val id: String)

    data class Due(private val id: OrderId, val date: Date?)

    open class Orders {

        @DistributedLock(name = "order", key = "#id")
        open fun pay(id: OrderId): LockTarget = LockContext.current().target()

        @DistributedLock(name = "order", key = "#ids")
        open fun payAll(ids: List<OrderId>): LockTarget = LockContext.current().target()

    }

    @Configuration(proxyBeanMethods = false)
    @EnableDistributedLocks
    open class Application {

        @Bean
        open fun locks() = RedisLockTemplate(InMemoryLockStore(), LockConfiguration.defaults())

        @Bean
        open fun orders() = Orders()

    }

}
