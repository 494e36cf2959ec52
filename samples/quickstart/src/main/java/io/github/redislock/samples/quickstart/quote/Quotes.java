package io.github.redislock.samples.quickstart.quote;

import java.time.Instant;

import io.github.redislock.samples.quickstart.SimulatedWork;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.stereotype.Service;

/**
 * Quotes in a cache that all instances share. Because of
 * {@code redis-lock.cache.load-once}, one caller loads a quote, and the callers of all
 * instances share it.
 */
@Service
@EnableCaching
class Quotes {

	private final SimulatedWork source;

	private final String instance;

	Quotes(SimulatedWork source, @Value("${quickstart.instance}") String instance) {
		this.source = source;
		this.instance = instance;
	}

	@Cacheable(cacheNames = "quotes", sync = true)
	public Quote find(String symbol) {
		this.source.run();
		return new Quote(symbol, this.instance, Instant.now());
	}

}
