package io.github.redislock.samples.quickstart.task;

import java.util.List;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class TaskController {

	private final Tasks tasks;

	private final HeartbeatRepository heartbeats;

	TaskController(Tasks tasks, HeartbeatRepository heartbeats) {
		this.tasks = tasks;
		this.heartbeats = heartbeats;
	}

	@PostMapping("/tasks/{taskId}")
	TaskResult run(@PathVariable String taskId) {
		return this.tasks.run(taskId);
	}

	@GetMapping("/tasks/{taskId}")
	List<TaskRun> runs(@PathVariable String taskId) {
		return this.tasks.runs(taskId);
	}

	@GetMapping("/heartbeats")
	List<Heartbeat> heartbeats() {
		return this.heartbeats.findTop20ByOrderByIdDesc();
	}

}
