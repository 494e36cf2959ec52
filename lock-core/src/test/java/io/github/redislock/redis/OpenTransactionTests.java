package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.github.redislock.HeldLock;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.ResourcelessTransactions;
import io.github.redislock.transaction.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.SessionCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The application has an open Redis transaction on the connection factory of the locks.
 */
@NeedsRedisServer
@Tag("promise-8")
class OpenTransactionTests {

	private static final LockOptions PATIENT = LockOptions.options().waitTime(Duration.ofSeconds(10));

	@AutoClose
	private final RedisProcess redis = RedisProcess.start();

	private final LettuceConnectionFactory application = this.redis.connectionFactory();

	@ParameterizedTest
	@EnumSource(Route.class)
	void lockIsAcquiredImmediatelyInASpringTransaction(Route route) {
		StringRedisTemplate template = new StringRedisTemplate(this.application);
		template.setEnableTransactionSupport(true);
		try (RedisLockTemplate locks = new RedisLockTemplate(route.over(this.application))) {
			new TransactionTemplate(new ResourcelessTransactions()).executeWithoutResult((status) -> {
				template.opsForValue().set("before", "1");

				assertLockWorks(locks, ReleaseOutcome.DEFERRED);

				template.opsForValue().set("after", "1");
				assertThat(this.redis.command("GET", "before")).as("still in the open transaction").isNull();
			});
		}
		assertThat(this.redis.command("MGET", "before", "after")).isEqualTo(List.of("1", "1"));
		assertThat(isLocked()).isFalse();
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void lockIsAcquiredImmediatelyBetweenMultiAndExec(Route route) {
		StringRedisTemplate template = new StringRedisTemplate(this.application);
		try (RedisLockTemplate locks = new RedisLockTemplate(route.over(this.application))) {
			List<Object> results = template.execute(new SessionCallback<List<Object>>() {

				@Override
				@SuppressWarnings("unchecked")
				public <K, V> List<Object> execute(RedisOperations<K, V> operations) throws DataAccessException {
					operations.multi();
					operations.opsForValue().set((K) "before", (V) "1");

					assertLockWorks(locks, ReleaseOutcome.RELEASED);
					assertThat(isLocked()).isFalse();

					operations.opsForValue().set((K) "after", (V) "1");
					return operations.exec();
				}

			});
			assertThat(results).hasSize(2);
		}
		assertThat(this.redis.command("MGET", "before", "after")).isEqualTo(List.of("1", "1"));
	}

	@Test
	void lockIsReleasedAfterDatabaseAndTemplateHaveWritten() {
		StringRedisTemplate template = new StringRedisTemplate(this.application);
		template.setEnableTransactionSupport(true);
		List<Object> seenAtRelease = new ArrayList<>();
		try (TestDatabase database = new TestDatabase();
				RedisLockTemplate locks = template((outcome) -> seenAtRelease
					.addAll(List.of(String.valueOf(this.redis.command("GET", "value")), database.amountElsewhere())))) {
			database.transaction().executeWithoutResult((status) -> {
				locks.execute("job", () -> {
					template.opsForValue().set("value", "new");
					database.increment();
				});
				assertThat(isLocked()).isTrue();
				assertThat(this.redis.command("GET", "value")).as("still in the open transaction").isNull();
			});
		}

		assertThat(seenAtRelease).containsExactly("new", 1);
	}

	private RedisLockTemplate template(Consumer<ReleaseOutcome> released) {
		return new RedisLockTemplate(RedisLockStore.create(this.application, RedisLockStoreOptions.defaults()),
				LockConfiguration.defaults().listeners(List.of(new LockListener() {

					@Override
					public void released(HeldLock lock, ReleaseOutcome outcome, Duration held) {
						released.accept(outcome);
					}

				})));
	}

	private boolean isLocked() {
		return this.redis.command("EXISTS", FaultyNetwork.key("job")).equals(1L);
	}

	private void assertLockWorks(RedisLockTemplate locks, ReleaseOutcome outcome) {
		LockHandle lock = locks.acquire(LockTarget.of("job"), PATIENT);
		assertThat((String) this.redis.command("GET", FaultyNetwork.key("job"))).startsWith(lock.owner());
		assertThat(lock.verify()).isTrue();
		lock.renew();
		assertThat(lock.release()).isEqualTo(outcome);
	}

}
