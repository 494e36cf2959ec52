package io.github.redislock.examples.testing;

import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.autoconfigure.test.AutoConfigureRedisLock;
import io.github.redislock.examples.testing.Payments.PaymentProvider;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@SpringJUnitConfig
@AutoConfigureRedisLock
class PaymentsTests {

	@Autowired
	private Payments payments;

	@Autowired
	private TestLocks locks;

	@Test
	void orderBeingPaidElsewhereIsNotPaidAgain() {
		this.locks.holdElsewhere("payment:42");

		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.payments.pay("42"));
		assertThat(this.payments.receipts()).doesNotContain("42");
	}

	@Test
	void lockLostDuringThePaymentIsReported() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.payments.pay("lost"));
	}

	@Test
	void templateUsesTheSameLocks(@Autowired RedisLockTemplate template) {
		this.payments.pay("43");
		template.execute("payment:44", () -> this.payments.pay("44"));

		assertThat(this.locks.acquired()).containsExactly("payment:43", "payment:44");
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Payments.class)
	static class TestBeans {

		@Bean
		PaymentProvider provider(TestLocks locks) {
			return (orderId) -> {
				if (orderId.equals("lost")) {
					locks.lose("payment:lost");
				}
			};
		}

	}

}
