package io.github.redislock.samples.cluster.demo.web;

import java.util.List;
import java.util.NoSuchElementException;

import io.github.redislock.samples.cluster.demo.DemoProperties;
import io.github.redislock.samples.cluster.demo.redis.RedisPause;
import io.github.redislock.samples.cluster.demo.workers.Workers;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * The API of the page.
 */
@RestController
class DemoController {

	private final Workers workers;

	private final RedisPause redis;

	private final LiveFeed feed;

	private final DemoProperties properties;

	DemoController(Workers workers, RedisPause redis, LiveFeed feed, DemoProperties properties) {
		this.workers = workers;
		this.redis = redis;
		this.feed = feed;
		this.properties = properties;
	}

	@GetMapping("/setting")
	Setting setting() {
		return new Setting(this.workers.names(), this.properties.lease().toMillis(), this.properties.broken());
	}

	@GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	SseEmitter events() {
		return this.feed.open();
	}

	@PostMapping("/workers/{name}/hang")
	void hang(@PathVariable String name) {
		this.workers.hang(name);
	}

	@PostMapping("/workers/{name}/kill")
	void kill(@PathVariable String name) {
		this.workers.kill(name);
	}

	@PostMapping("/redis/pause")
	void pauseRedis() {
		this.redis.begin();
	}

	@ExceptionHandler(NoSuchElementException.class)
	@ResponseStatus(HttpStatus.NOT_FOUND)
	void noSuchWorker() {
	}

	/**
	 * The settings that the page needs.
	 */
	record Setting(List<String> workers, long leaseMillis, boolean broken) {
	}

}
