package io.github.redislock.samples.coroutines

import io.github.redislock.LockNotAcquiredException
import kotlinx.coroutines.flow.Flow

/**
 * The resource that the locks protect.
 */
interface Hall {

    suspend fun book(concert: String): Int

    suspend fun queue(concert: String, busy: LockNotAcquiredException): Int

    fun seats(concert: String): Flow<Int>

}
