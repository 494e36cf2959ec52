package io.github.redislock.samples.quickstart.cache;

import java.util.Optional;

import org.springframework.data.repository.ListCrudRepository;

interface CacheEntryRepository extends ListCrudRepository<CacheEntry, Long> {

	Optional<CacheEntry> findByCacheKey(String cacheKey);

}
