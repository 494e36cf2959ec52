package io.github.redislock.samples.quickstart.ratelimit;

import java.util.List;

import org.springframework.data.repository.ListCrudRepository;

interface ApiCallRepository extends ListCrudRepository<ApiCall, Long> {

	List<ApiCall> findByUserId(String userId);

}
