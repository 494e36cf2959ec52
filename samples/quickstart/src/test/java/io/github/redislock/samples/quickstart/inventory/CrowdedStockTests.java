package io.github.redislock.samples.quickstart.inventory;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockOperations;
import io.github.redislock.autoconfigure.test.AutoConfigureRedisLock;
import io.github.redislock.test.HeldElsewhere;
import io.github.redislock.test.TestLocks;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(properties = { "spring.data.redis.port=1", "redis-lock.max-waiters=1" })
@AutoConfigureMockMvc
@AutoConfigureRedisLock
class CrowdedStockTests {

	@Autowired
	private MockMvcTester shop;

	@Autowired
	private TestLocks held;

	@Autowired
	private LockOperations locks;

	@Test
	void customerIsRefusedAtOnceIfTooManyWait() {
		HeldElsewhere busy = this.held.holdElsewhere("stock:crowded");
		CompletableFuture<MvcTestResult> first = CompletableFuture.supplyAsync(this::decrease);
		Awaitility.await().until(() -> !this.locks.local().waiting().isEmpty());

		MvcTestResult second = decrease();

		assertThat(second).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
			.hasHeader(HttpHeaders.RETRY_AFTER, "1")
			.bodyText()
			.contains("Too many callers", "1 or more callers of this instance wait for it");
		busy.close();
		assertThat(first).succeedsWithin(Duration.ofSeconds(20))
			.satisfies((result) -> assertThat(result).hasStatus(HttpStatus.CONFLICT));
	}

	private MvcTestResult decrease() {
		return this.shop.post().uri("/inventory/crowded/decrease").exchange();
	}

}
