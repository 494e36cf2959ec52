package io.github.redislock.samples.quickstart.payment;

import io.github.redislock.autoconfigure.test.AutoConfigureRedisLock;
import io.github.redislock.samples.quickstart.SimulatedWork;
import io.github.redislock.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * Tests what customers see when the lock of a payment fails. No Redis is needed or
 * started.
 */
@SpringBootTest(properties = "spring.data.redis.port=1")
@AutoConfigureMockMvc
@AutoConfigureRedisLock
class PaymentTroubleTests {

	@Autowired
	private MockMvcTester shop;

	@Autowired
	private TestLocks locks;

	@MockitoBean
	private SimulatedWork paymentProvider;

	@Test
	void orderBeingPaidByAnotherInstanceIsNotPaidTwice() {
		this.locks.holdElsewhere("payment:busy");

		assertThat(pay("busy")).hasStatus(HttpStatus.CONFLICT).bodyText().contains("Payment in progress");
		verify(this.paymentProvider, never()).run();
	}

	@Test
	void paymentThatLosesItsLockIsNotStored() {
		willAnswer((call) -> {
			this.locks.lose("payment:lost");
			return null;
		}).given(this.paymentProvider).run();

		assertThat(pay("lost")).hasStatus(HttpStatus.INTERNAL_SERVER_ERROR)
			.bodyText()
			.contains("Lock lost", "Use GET to check what was done");
		assertThat(this.shop.get().uri("/payments/lost")).hasStatusOk().bodyText().isEqualTo("[]");
	}

	@Test
	void nothingIsChargedWhileRedisIsDown() {
		this.locks.goDown();

		assertThat(pay("down")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE).hasHeader("Retry-After", "1");
		verify(this.paymentProvider, never()).run();
	}

	private MvcTestResult pay(String orderId) {
		return this.shop.post().uri("/payments/{orderId}", orderId).exchange();
	}

}
