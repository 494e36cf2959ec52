package io.github.redislock.samples.quickstart;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import io.github.redislock.samples.quickstart.Callers.Reply;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the shop promises, with any number of instances.
 */
@Tag("promise-4")
abstract class ShopPromises {

	/** Long enough for all simultaneous callers to find the first of them at work. */
	static final String WORK_TIME = "quickstart.work-time=2s";

	/** Long enough for a slow machine to serve all simultaneous callers. */
	static final String WAIT_TIME = "quickstart.stock.wait-time=1m";

	private final String id = UUID.randomUUID().toString();

	abstract Callers callers();

	@Test
	void orderIsChargedOnceAndOtherPaymentsAreRefused() {
		List<Reply> replies = callers().together(50, "POST", "/payments/" + this.id);

		assertThat(replies).filteredOn((reply) -> reply.status() == 200).hasSize(1);
		assertThat(replies).filteredOn((reply) -> reply.status() == 409).hasSize(49);
		assertThat(callers().ask("GET", "/payments/" + this.id).body()).hasSize(1);
	}

	@Test
	void paymentInProgressIsDistinguishedFromAPaidOrder() {
		List<Reply> replies = callers().together(2, "POST", "/payments/" + this.id);
		Reply later = callers().ask("POST", "/payments/" + this.id);

		assertThat(replies).filteredOn((reply) -> reply.status() == 409).singleElement().satisfies((reply) -> {
			assertThat(reply.text("type")).isEqualTo("urn:problem:payment-in-progress");
			assertThat(reply.text("lock")).isEqualTo("payment:" + this.id);
			assertThat(reply.text("holder")).isNotBlank();
		});
		assertThat(later.status()).isEqualTo(409);
		assertThat(later.text("type")).isEqualTo("urn:problem:order-already-paid");
	}

	@Test
	void stockIsNeitherOversoldNorLost() {
		callers().ask("PUT", "/inventory/%s?quantity=100".formatted(this.id));

		List<Reply> replies = callers().together(200, "POST", "/inventory/%s/decrease".formatted(this.id));

		long sold = replies.stream().filter((reply) -> reply.status() == 200).count();
		// If the machine pauses for a second while a lock is handed over, one call loses
		// it.
		long lost = count(replies, "urn:problem:lock-lost");
		assertThat(lost).isLessThanOrEqualTo(1);
		assertThat(sold).isBetween(100 - lost, 100L);
		assertThat(count(replies, "urn:problem:sold-out")).isEqualTo(200 - sold - lost);
		assertThat(callers().ask("GET", "/inventory/" + this.id).body().path("quantity").asInt()).isZero();
	}

	@Test
	void valueIsLoadedOnceForAllCallers() {
		List<Reply> replies = callers().together(20, "GET", "/cache/" + this.id);

		assertThat(replies).allMatch((reply) -> reply.status() == 200);
		assertThat(replies).extracting(Reply::body).containsOnly(replies.get(0).body());
		assertThat(replies.get(0).body().path("loads").asInt()).isEqualTo(1);
	}

	@Test
	void valueOfASpringCacheIsLoadedOnceForAllCallers() {
		List<Reply> replies = callers().together(20, "GET", "/quotes/" + this.id);

		assertThat(replies).allMatch((reply) -> reply.status() == 200);
		assertThat(replies).extracting(Reply::body).containsOnly(replies.get(0).body());
	}

	@Test
	void dailyReportIsGeneratedOnce() {
		String path = "/reports/daily/%04d-01-01".formatted(1000 + Math.floorMod(this.id.hashCode(), 9000));

		List<Reply> replies = callers().together(10, "POST", path);
		Reply later = callers().ask("POST", path);

		assertThat(replies).extracting(Reply::status).containsOnly(200, 202).contains(200);
		assertThat(replies).filteredOn((reply) -> reply.status() == 200)
			.extracting((reply) -> reply.body().path("id"))
			.containsOnly(later.body().path("id"));
	}

	@Test
	void userReportIsSkippedWhileAnotherIsGenerated() {
		List<Reply> replies = callers().together(2, "POST", "/reports/user/" + this.id);

		assertThat(replies).extracting((reply) -> reply.text("status"))
			.containsExactlyInAnyOrder("completed", "skipped");
	}

	@Test
	@Tag("thorough")
	void laterUserReportHasGreaterFencingToken() {
		Reply first = callers().ask("POST", "/reports/user/" + this.id);
		Reply second = callers().ask("POST", "/reports/user/" + this.id);

		assertThat(second.body().at("/report/fencingToken").asLong())
			.isGreaterThan(first.body().at("/report/fencingToken").asLong());
		assertThat(callers().ask("GET", "/reports/user/" + this.id).body().path("fencingToken"))
			.isEqualTo(second.body().at("/report/fencingToken"));
	}

	@Test
	void taskRunsOnce() {
		List<Reply> replies = callers().together(10, "POST", "/tasks/" + this.id);

		assertThat(replies).filteredOn((reply) -> reply.text("status").equals("completed")).hasSize(1);
		assertThat(replies).filteredOn((reply) -> reply.text("status").equals("skipped")).hasSize(9);
		assertThat(callers().ask("GET", "/tasks/" + this.id).body()).hasSize(1);
	}

	@Test
	void userMayCallOncePerWindow() {
		List<Reply> replies = callers().together(10, "POST", "/rate-limited/" + this.id);

		assertThat(replies).filteredOn((reply) -> reply.status() == 200).hasSize(1);
		assertThat(replies).filteredOn((reply) -> reply.status() == 429)
			.hasSize(9)
			.allMatch((reply) -> reply.headers().firstValueAsLong("Retry-After").orElse(0) > 0);
		await().atMost(Duration.ofSeconds(30))
			.until(() -> callers().ask("POST", "/rate-limited/" + this.id).status() == 200);
	}

	@Test
	@Tag("promise-processes-stall")
	void holderThatWritesTooLateIsRefused() {
		Reply late = callers().ask("POST", "/fencing/" + this.id);
		Reply document = callers().ask("GET", "/fencing/" + this.id);

		assertThat(late.status()).isEqualTo(409);
		assertThat(late.text("type")).isEqualTo("urn:problem:stale-holder");
		assertThat(late.text("detail")).contains("document:" + this.id).contains("Acquire the lock again");
		assertThat(late.body().path("token").asLong()).isLessThan(late.body().path("newestToken").asLong());
		assertThat(document.text("content")).isEqualTo("written by the second holder");
		assertThat(document.body().path("fencingToken")).isEqualTo(late.body().path("newestToken"));
	}

	@Test
	void transactionOfAStoppedHolderIsRefused() {
		Reply late = callers().ask("POST", "/fencing/" + this.id + "/stopped");
		Reply document = callers().ask("GET", "/fencing/" + this.id);

		assertThat(late.status()).isEqualTo(409);
		assertThat(late.text("detail")).contains("fenced-document:" + this.id).contains("used before");
		assertThat(late.body().path("token").asLong()).isLessThan(late.body().path("newestToken").asLong());
		assertThat(document.text("content")).isEqualTo("written by the second holder");
	}

	@Test
	@Tag("thorough")
	void batchIsProcessedOnceInTheBackground() {
		List<Reply> replies = callers().together(10, "POST", "/batches/" + this.id);

		assertThat(replies).filteredOn((reply) -> reply.text("status").equals("processing")).hasSize(1);
		assertThat(replies).extracting((reply) -> reply.text("status")).contains("already processing");
		await().atMost(Duration.ofSeconds(60))
			.until(() -> callers().ask("GET", "/batches/" + this.id).text("status").equals("done"));
		assertThat(callers().ask("GET", "/batches/" + this.id).body().path("processed").asInt()).isEqualTo(5);
	}

	private static long count(List<Reply> replies, String type) {
		return replies.stream().filter((reply) -> reply.text("type").equals(type)).count();
	}

}
