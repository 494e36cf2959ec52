package io.github.redislock.samples.coroutines

import io.github.redislock.LockConfiguration
import io.github.redislock.LockOperations
import io.github.redislock.LockTarget
import io.github.redislock.annotation.DistributedLock
import io.github.redislock.annotation.EnableDistributedLocks
import io.github.redislock.annotation.IfLocked
import io.github.redislock.memory.InMemoryLockStore
import io.github.redislock.redis.RedisLockTemplate
import kotlin.reflect.KClass
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.catchThrowable
import org.junit.jupiter.api.Test
import org.springframework.beans.factory.getBean
import org.springframework.context.annotation.AnnotationConfigApplicationContext
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration

/**
 * A call of a suspending function can be skipped only if its result can be empty.
 */
class SkippedFunctionsTests {

    @Test
    fun resultThatIsNeverEmptyFailsStartup() {
        assertThat(catchThrowable { start(Counting::class).close() }).rootCause()
            .hasMessageContaining("that is never null, which has no value for a skipped call")
    }

    @Test
    fun listOrFlowOfASkippedCallIsEmpty() {
        start(Listing::class).use { context ->
            context.getBean<LockOperations>().acquire(LockTarget.of("hall"))
            val listing = context.getBean<Listing>()

            runBlocking {
                assertThat(listing.all()).isEmpty()
                assertThat(listing.each().toList()).isEmpty()
            }
        }
    }

    private fun start(bean: KClass<*>) = AnnotationConfigApplicationContext(Application::class.java, bean.java)

    open class Counting {

        @DistributedLock("hall", ifLocked = IfLocked.SKIP)
        open suspend fun count(): Int = 1

    }

    open class Listing {

        @DistributedLock("hall", ifLocked = IfLocked.SKIP)
        open suspend fun all(): List<Int> = listOf(1)

        @DistributedLock("hall", ifLocked = IfLocked.SKIP)
        open suspend fun each(): Flow<Int> = flowOf(1)

    }

    @Configuration(proxyBeanMethods = false)
    @EnableDistributedLocks
    open class Application {

        @Bean
        open fun locks() = RedisLockTemplate(InMemoryLockStore(), LockConfiguration.defaults())

    }

}
