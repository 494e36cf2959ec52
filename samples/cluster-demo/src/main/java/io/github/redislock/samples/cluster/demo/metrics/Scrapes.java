package io.github.redislock.samples.cluster.demo.metrics;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * The latest metrics of each worker. They expire soon after a worker has stopped or died,
 * because Prometheus could not reach that worker either. Thread-safe.
 */
@Component
class Scrapes {

	private static final long FRESH = TimeUnit.SECONDS.toNanos(3);

	/** The metrics by worker, ordered by the time of the last report. */
	private final Map<String, Scrape> latest = new LinkedHashMap<>();

	synchronized void keep(String worker, String text) {
		this.latest.remove(worker);
		this.latest.put(worker, new Scrape(text, System.nanoTime()));
	}

	synchronized @Nullable String of(String worker) {
		Scrape scrape = this.latest.get(worker);
		return (scrape != null && scrape.isFresh()) ? scrape.text() : null;
	}

	/**
	 * Return the metrics of all live workers by name. The oldest report comes first.
	 */
	synchronized Map<String, String> all() {
		Map<String, String> texts = new LinkedHashMap<>();
		this.latest.forEach((worker, scrape) -> {
			if (scrape.isFresh()) {
				texts.put(worker, scrape.text());
			}
		});
		return texts;
	}

	/**
	 * A report in the text format of Prometheus.
	 */
	private record Scrape(String text, long at) {

		boolean isFresh() {
			return System.nanoTime() - this.at < FRESH;
		}

	}

}
