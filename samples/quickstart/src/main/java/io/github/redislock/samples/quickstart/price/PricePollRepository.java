package io.github.redislock.samples.quickstart.price;

import java.util.List;

import org.springframework.data.repository.ListCrudRepository;

interface PricePollRepository extends ListCrudRepository<PricePoll, Long> {

	List<PricePoll> findTop20ByOrderByIdDesc();

}
