package io.github.redislock.samples.quickstart.cache;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/cache/{key}")
class CacheController {

	private final Cache cache;

	CacheController(Cache cache) {
		this.cache = cache;
	}

	@GetMapping
	CacheEntry get(@PathVariable String key) {
		CacheEntry entry = this.cache.find(key);
		return this.cache.isFresh(entry) ? entry : this.cache.refresh(entry);
	}

	@PostMapping
	CacheEntry refresh(@PathVariable String key) {
		return this.cache.refresh(this.cache.find(key));
	}

}
