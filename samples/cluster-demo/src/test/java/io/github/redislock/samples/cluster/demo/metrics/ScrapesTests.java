package io.github.redislock.samples.cluster.demo.metrics;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ScrapesTests {

	private final Scrapes scrapes = new Scrapes();

	@Test
	void oldestReportIsFirst() {
		this.scrapes.keep("worker-1", "waiters 1");
		this.scrapes.keep("worker-2", "waiters 2");
		this.scrapes.keep("worker-1", "waiters 3");

		assertThat(this.scrapes.all()).hasToString("{worker-2=waiters 2, worker-1=waiters 3}");
	}

}
