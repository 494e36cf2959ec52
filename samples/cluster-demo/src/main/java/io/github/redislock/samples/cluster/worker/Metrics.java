package io.github.redislock.samples.cluster.worker;

import java.util.concurrent.TimeUnit;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import org.springframework.http.MediaType;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/**
 * Sends metrics to the demonstration, in the format in which Prometheus would scrape them
 * from a worker with a web server.
 */
@Component
class Metrics {

	private final PrometheusMeterRegistry registry;

	private final RestClient client;

	private final String worker;

	Metrics(PrometheusMeterRegistry registry, WorkerProperties properties) {
		this.registry = registry;
		this.client = RestClient.create(properties.demo());
		this.worker = properties.name();
	}

	@Scheduled(fixedRate = 1, timeUnit = TimeUnit.SECONDS)
	void tell() {
		String text = this.registry.scrape();
		if (text.isEmpty()) {
			// This worker has not requested the lock yet.
			return;
		}
		this.client.put()
			.uri("/workers/{worker}/metrics", this.worker)
			.contentType(MediaType.TEXT_PLAIN)
			.body(text)
			.retrieve()
			.toBodilessEntity();
	}

}
