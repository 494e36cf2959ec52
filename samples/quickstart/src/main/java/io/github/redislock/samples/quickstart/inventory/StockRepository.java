package io.github.redislock.samples.quickstart.inventory;

import java.util.Optional;

import org.springframework.data.repository.ListCrudRepository;

interface StockRepository extends ListCrudRepository<Stock, Long> {

	Optional<Stock> findByProduct(String product);

}
