package io.github.redislock.samples.quickstart.cache;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A value that is expensive to load, and how many times it was loaded.
 */
@Table
record CacheEntry(@Id @Nullable Long id, String cacheKey, String content, int loads, Instant loadedAt) {

	static CacheEntry notLoaded(String cacheKey) {
		return new CacheEntry(null, cacheKey, "", 0, Instant.EPOCH);
	}

	CacheEntry loaded(String content) {
		// Truncate, because the table stores fewer digits, and a loaded entry must equal
		// the stored one.
		Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		return new CacheEntry(this.id, this.cacheKey, content, this.loads + 1, now);
	}

}
