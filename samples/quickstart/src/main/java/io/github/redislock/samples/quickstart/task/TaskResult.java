package io.github.redislock.samples.quickstart.task;

/**
 * What became of the wish to run a task.
 */
record TaskResult(String taskId, String status, String message) {
}
