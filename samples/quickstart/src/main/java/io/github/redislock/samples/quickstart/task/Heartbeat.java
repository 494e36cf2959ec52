package io.github.redislock.samples.quickstart.task;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A run of the scheduled job.
 */
@Table
record Heartbeat(@Id @Nullable Long id, String beatBy, Instant beatAt) {
}
