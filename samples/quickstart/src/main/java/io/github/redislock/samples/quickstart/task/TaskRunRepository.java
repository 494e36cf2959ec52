package io.github.redislock.samples.quickstart.task;

import java.util.List;

import org.springframework.data.repository.ListCrudRepository;

interface TaskRunRepository extends ListCrudRepository<TaskRun, Long> {

	List<TaskRun> findByTaskId(String taskId);

}
