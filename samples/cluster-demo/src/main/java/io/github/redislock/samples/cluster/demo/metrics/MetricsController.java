package io.github.redislock.samples.cluster.demo.metrics;

import java.util.List;
import java.util.Map;

import io.github.redislock.samples.cluster.demo.workers.Workers;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/**
 * Receives the workers' metrics, and serves them to the page and to Prometheus.
 */
@RestController
class MetricsController {

	private final Scrapes scrapes;

	private final Workers workers;

	MetricsController(Scrapes scrapes, Workers workers) {
		this.scrapes = scrapes;
		this.workers = workers;
	}

	@PutMapping("/workers/{name}/metrics")
	ResponseEntity<Void> keep(@PathVariable String name, @RequestBody String text) {
		if (!this.workers.names().contains(name)) {
			return ResponseEntity.notFound().build();
		}
		this.scrapes.keep(name, text);
		return ResponseEntity.noContent().build();
	}

	/**
	 * Return the metrics of one worker, for Prometheus.
	 */
	@GetMapping(path = "/workers/{name}/metrics", produces = MediaType.TEXT_PLAIN_VALUE)
	ResponseEntity<String> metrics(@PathVariable String name) {
		String text = this.scrapes.of(name);
		return (text != null) ? ResponseEntity.ok(text) : new ResponseEntity<>(HttpStatus.SERVICE_UNAVAILABLE);
	}

	/**
	 * Return the metrics of all workers, for the page.
	 */
	@GetMapping("/metrics")
	Map<String, String> metrics() {
		return this.scrapes.all();
	}

	/**
	 * Return the workers in the format of Prometheus' {@code http_sd_configs}.
	 */
	@GetMapping("/targets")
	List<Target> targets(@RequestHeader("Host") String host) {
		return this.workers.names()
			.stream()
			.map((name) -> new Target(List.of(host),
					Map.of("__metrics_path__", "/workers/%s/metrics".formatted(name), "instance", name)))
			.toList();
	}

	/**
	 * A group of targets.
	 */
	record Target(List<String> targets, Map<String, String> labels) {
	}

}
