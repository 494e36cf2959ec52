package io.github.redislock.samples.quickstart.inventory;

import io.github.redislock.autoconfigure.test.AutoConfigureRedisLock;
import io.github.redislock.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(properties = { "spring.data.redis.port=1", "quickstart.stock.wait-time=10ms" })
@AutoConfigureMockMvc
@AutoConfigureRedisLock
class BusyStockTests {

	@Autowired
	private MockMvcTester shop;

	@Autowired
	private TestLocks locks;

	@Test
	void stockingUpWaitsForFiveRetryDelays() {
		this.locks.holdElsewhere("stock:full");

		assertThat(this.shop.put().uri("/inventory/full?quantity=100")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
			.bodyText()
			.contains("Too many orders", "not acquired within 1s");
	}

	@Test
	void customerWaitsForTheConfiguredTime() {
		this.locks.holdElsewhere("stock:busy");

		assertThat(this.shop.post().uri("/inventory/busy/decrease")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
			.bodyText()
			.contains("Too many orders", "not acquired within 10ms");
	}

}
