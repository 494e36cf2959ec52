package io.github.redislock.samples.quickstart.task;

/**
 * The outcome of a request to run a task.
 */
record TaskResult(String taskId, String status, String message) {
}
