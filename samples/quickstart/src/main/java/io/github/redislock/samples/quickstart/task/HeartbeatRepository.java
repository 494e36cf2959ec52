package io.github.redislock.samples.quickstart.task;

import java.util.List;

import org.springframework.data.repository.ListCrudRepository;

interface HeartbeatRepository extends ListCrudRepository<Heartbeat, Long> {

	List<Heartbeat> findTop20ByOrderByIdDesc();

}
