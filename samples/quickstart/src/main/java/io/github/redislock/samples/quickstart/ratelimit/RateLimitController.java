package io.github.redislock.samples.quickstart.ratelimit;

import java.util.List;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/rate-limited/{userId}")
class RateLimitController {

	private final RateLimitedApi api;

	RateLimitController(RateLimitedApi api) {
		this.api = api;
	}

	@PostMapping
	ApiCall call(@PathVariable String userId) {
		return this.api.call(userId);
	}

	@GetMapping
	List<ApiCall> calls(@PathVariable String userId) {
		return this.api.calls(userId);
	}

}
