package io.github.redislock.samples.quickstart.task;

import java.time.Instant;
import java.util.List;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.samples.quickstart.SimulatedWork;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

/**
 * Runs each task once, as a consumer of a queue must do if messages may be delivered
 * twice.
 */
@Service
class Tasks {

	private final TaskRunRepository runs;

	private final SimulatedWork work;

	private final String instance;

	Tasks(TaskRunRepository runs, SimulatedWork work, @Value("${quickstart.instance}") String instance) {
		this.runs = runs;
		this.work = work;
		this.instance = instance;
	}

	@DistributedLock(name = "task", key = "#taskId", timeout = "2m", retry = 0, fallback = "skip")
	public TaskResult run(String taskId) {
		if (!this.runs.findByTaskId(taskId).isEmpty()) {
			return new TaskResult(taskId, "skipped", "The task has already been done");
		}
		Instant start = Instant.now();
		this.work.run();
		this.runs.save(new TaskRun(null, taskId, this.instance, start, Instant.now()));
		return new TaskResult(taskId, "completed", "Done by " + this.instance);
	}

	TaskResult skip(String taskId) {
		return new TaskResult(taskId, "skipped", "Another caller is running the task");
	}

	List<TaskRun> runs(String taskId) {
		return this.runs.findByTaskId(taskId);
	}

}
