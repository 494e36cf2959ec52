package io.github.redislock.samples.quickstart.cache;

import java.time.Duration;
import java.time.Instant;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.samples.quickstart.SimulatedWork;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

/**
 * Keeps values for a while, and loads a missing or expired value once, however many
 * callers need it.
 */
@Service
class Cache {

	private final CacheEntryRepository entries;

	private final SimulatedWork source;

	private final Duration timeToLive;

	Cache(CacheEntryRepository entries, SimulatedWork source,
			@Value("${quickstart.cache.time-to-live}") Duration timeToLive) {
		this.entries = entries;
		this.source = source;
		this.timeToLive = timeToLive;
	}

	CacheEntry find(String cacheKey) {
		return this.entries.findByCacheKey(cacheKey).orElseGet(() -> CacheEntry.notLoaded(cacheKey));
	}

	boolean isFresh(CacheEntry entry) {
		return entry.loadedAt().plus(this.timeToLive).isAfter(Instant.now());
	}

	/**
	 * Load a value, unless another caller has loaded it since this caller read the cache.
	 */
	@DistributedLock(name = "cache", key = "#seen.cacheKey()", waitTime = "10s")
	public CacheEntry refresh(CacheEntry seen) {
		// Check again, because the previous holder may have loaded the value.
		CacheEntry present = find(seen.cacheKey());
		if (present.loads() > seen.loads()) {
			return present;
		}
		this.source.run();
		return this.entries.save(present.loaded("the value of " + present.cacheKey()));
	}

}
