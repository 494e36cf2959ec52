package io.github.redislock.samples.quickstart.payment;

import java.util.List;

import org.springframework.data.repository.ListCrudRepository;

interface ChargeRepository extends ListCrudRepository<Charge, Long> {

	List<Charge> findByOrderId(String orderId);

}
