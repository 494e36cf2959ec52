package io.github.redislock.samples.coroutines

import io.github.redislock.LockConfiguration
import io.github.redislock.LockOperations
import io.github.redislock.LockTarget
import io.github.redislock.annotation.DistributedLock
import io.github.redislock.annotation.EnableDistributedLocks
import io.github.redislock.memory.InMemoryLockStore
import io.github.redislock.redis.RedisLockTemplate
import kotlin.reflect.KClass
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Deferred
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.catchThrowable
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.ValueSource
import org.springframework.beans.factory.getBean
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration

/**
 * A locked function may not return work that goes on after the release of its lock.
 */
class UnfinishedResultsTests {

    @ParameterizedTest
    @ValueSource(classes = [Promising::class, Listing::class, Nesting::class, Lazily::class, Calling::class])
    fun declaredResultFailsStartup(bean: Class<*>) {
        assertThat(catchThrowable { start(bean.kotlin).close() }).rootCause()
            .hasMessageContaining("cannot be locked: it returns ").hasMessageContaining("after the lock is released")
    }

    @Test
    fun undeclaredResultFailsTheCall() {
        start(Undeclared::class).use { context ->
            val failure = runBlocking { runCatching { context.getBean<Undeclared>().book() }.exceptionOrNull() }

            assertThat(failure).hasMessageContaining("Lock 'undeclared' does not protect all of its work")
            assertThat(context.getBean<LockOperations>().isLocked(LockTarget.of("undeclared"))).isFalse()
        }
    }

    @Test
    fun sequenceOrFunctionFailsTheCall() {
        start(Undeclared::class).use { context ->
            val locks = context.getBean<LockOperations>()

            assertThat(catchThrowable { locks.execute<Any, Nothing>(LockTarget.of("a")) { _ -> sequenceOf(1) } })
                .hasMessageContaining("which is read after the lock is released")
            assertThat(catchThrowable { locks.execute<Any, Nothing>(LockTarget.of("a")) { _ -> { 1 } } })
                .hasMessageContaining("which is called after the lock is released")
        }
    }

    private fun start(bean: KClass<*>) = AnnotationConfigApplicationContext(Application::class.java, bean.java)

    open class Promising {

        @DistributedLock
        open suspend fun book(): Deferred<Int> = CompletableDeferred(1)

    }

    open class Listing {

        @DistributedLock
        open suspend fun all(): List<Flow<Int>> = listOf()

    }

    open class Nesting {

        @DistributedLock
        open fun all(): Flow<Deferred<Int>> = TODO()

    }

    open class Lazily {

        @DistributedLock
        open fun all(): Sequence<Int> = sequenceOf()

    }

    open class Calling {

        @DistributedLock
        open suspend fun later(): () -> Int = { 1 }

    }

    open class Undeclared {

        @DistributedLock("undeclared")
        open suspend fun book(): Any = CompletableDeferred<Int>()

    }

    @Configuration(proxyBeanMethods = false)
    @EnableDistributedLocks
    open class Application {

        @Bean
        open fun locks() = RedisLockTemplate(InMemoryLockStore(), LockConfiguration.defaults())

    }

}
