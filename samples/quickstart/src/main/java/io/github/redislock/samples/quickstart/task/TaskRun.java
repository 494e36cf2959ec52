package io.github.redislock.samples.quickstart.task;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A completed task, with the instance that ran it and the times.
 */
@Table
record TaskRun(@Id @Nullable Long id, String taskId, String doneBy, Instant startedAt, Instant finishedAt) {
}
