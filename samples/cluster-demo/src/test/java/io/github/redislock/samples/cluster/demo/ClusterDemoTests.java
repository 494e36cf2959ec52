package io.github.redislock.samples.cluster.demo;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.samples.cluster.demo.timeline.DemoEvent;
import io.github.redislock.samples.cluster.message.Kind;
import io.github.redislock.testing.LogRecorder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests with real processes and a real Redis that at most one process holds the lock at a
 * time, whatever happens to them.
 */
class ClusterDemoTests {

	private final RunningDemo demo = RunningDemo.shared();

	@AfterEach
	void nothingWasViolated() {
		assertThat(this.demo.counters().violations()).isZero();
	}

	@Test
	@Tag("promise-processes-take-turns")
	void workersTakeTurnsWithGrowingTokens() {
		this.demo.await(() -> holders().distinct().count() == 3 && this.demo.counters().handOvers() >= 5);

		List<DemoEvent> holds = this.demo.since(0, Kind.HOLDS);
		assertThat(holds).extracting(DemoEvent::token).doesNotHaveDuplicates();
		// Each worker reports through a separate pipe, so reports of two workers arrive
		// in any order. The ledger checks the tokens.
		assertThat(holds.stream().collect(Collectors.groupingBy(DemoEvent::source)).values())
			.allSatisfy((own) -> assertThat(own).extracting((event) -> Long.valueOf(event.token())).isSorted());
	}

	@Test
	@Tag("promise-processes-die")
	void killedWorkerComesBack() {
		this.demo.await(() -> holders().anyMatch("worker-1"::equals));
		long before = this.demo.latest();

		this.demo.workers().kill("worker-1");

		DemoEvent killed = this.demo.await(before, Kind.KILLED, "worker-1");
		DemoEvent again = this.demo.await(killed.id(), Kind.STARTED, "worker-1");
		this.demo.await(again.id(), Kind.HOLDS, "worker-1");
		assertThat(this.demo.counters().kills()).isPositive();
	}

	@Test
	void workerThatStartsCannotBeStoppedOrKilled() {
		try (RunningDemo starting = RunningDemo.start("--cluster-demo.workers=1")) {
			starting.workers().hang("worker-1");
			starting.workers().kill("worker-1");

			DemoEvent started = starting.await(0, Kind.STARTED, "worker-1");
			assertThat(starting.since(0, Kind.FROZEN)).allMatch((event) -> event.id() > started.id());
			assertThat(starting.since(0, Kind.KILLED)).allMatch((event) -> event.id() > started.id());
		}
	}

	@Test
	void openPagesEndWithoutComplaints() throws Exception {
		RunningDemo ending = RunningDemo.start("--cluster-demo.workers=0");
		try (LogRecorder log = LogRecorder.warningsOf("ROOT")) {
			HttpRequest page = HttpRequest.newBuilder(URI.create(ending.url() + "events")).build();
			for (int number = 0; number < 4; number++) {
				assertThat(HttpClient.newHttpClient().send(page, BodyHandlers.ofInputStream()).statusCode())
					.isEqualTo(200);
			}

			ending.close();

			assertThat(log.lines()).isEmpty();
		}
	}

	@Test
	@Tag("promise-processes-stall")
	void stoppedHolderIsReplacedAndItsLateWriteRefused() {
		long before = this.demo.latest();
		// The action may be too late for the reported hold and then affects the next one.
		this.demo.await(() -> {
			if (isWorking("worker-2")) {
				this.demo.workers().hang("worker-2");
			}
			return refusedWork(before, "worker-2").findFirst().isPresent();
		});

		DemoEvent refused = refusedWork(before, "worker-2").findFirst().orElseThrow();
		// The ledger and each worker report separately, in any order.
		awaitOfTheSameHold(refused, Kind.LOST);
		awaitOfTheSameHold(refused, Kind.NOT_RELEASED);
		this.demo.await(() -> this.demo.since(0, Kind.HOLDS)
			.stream()
			.anyMatch((event) -> refused.text().endsWith(" than %s of %s".formatted(event.token(), event.source()))));
		assertThat(refused.text()).doesNotEndWith(" of worker-2");
	}

	@Test
	@Tag("promise-processes-stall")
	void hangingWorkerIsNotifiedOfItsLossAndCannotRelease() {
		long before = this.demo.latest();
		this.demo.await(() -> !this.demo.since(before, Kind.HANGS).isEmpty());

		DemoEvent hangs = this.demo.since(before, Kind.HANGS).get(0);
		awaitOfTheSameHold(hangs, Kind.LOST);
		awaitOfTheSameHold(hangs, Kind.NOT_RELEASED);
	}

	@Test
	@Tag("thorough")
	void workersContinueAfterARedisPause() {
		this.demo.await(() -> this.demo.counters().acquisitions() > 0);
		long before = this.demo.latest();

		this.demo.pauseRedis();

		long back = this.demo.await(before, Kind.REDIS_BACK, "redis").id();
		this.demo.await(() -> !this.demo.since(back, Kind.HOLDS).isEmpty());
	}

	/**
	 * Wait until a worker reports an event of the same hold.
	 */
	private void awaitOfTheSameHold(DemoEvent event, Kind kind) {
		this.demo.await(() -> isOfTheSameHold(event, kind));
	}

	private boolean isOfTheSameHold(DemoEvent event, Kind kind) {
		return this.demo.since(0, kind)
			.stream()
			.anyMatch((said) -> said.source().equals(event.source()) && said.token().equals(event.token()));
	}

	private Stream<String> holders() {
		return this.demo.since(0, Kind.HOLDS).stream().map(DemoEvent::source);
	}

	private boolean isWorking(String worker) {
		List<DemoEvent> works = this.demo.since(0, Kind.WORKS);
		if (works.isEmpty()) {
			return false;
		}
		DemoEvent last = works.get(works.size() - 1);
		return last.source().equals(worker) && this.demo.since(last.id(), Kind.RELEASED).isEmpty();
	}

	/**
	 * Return the refusals of a worker whose process was stopped, and not of one that hung
	 * by itself, perhaps since before the test.
	 */
	private Stream<DemoEvent> refusedWork(long since, String worker) {
		return this.demo.since(since, Kind.REFUSED)
			.stream()
			.filter((event) -> event.source().equals(worker) && isOfTheSameHold(event, Kind.WORKS));
	}

}
