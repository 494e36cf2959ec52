package io.github.redislock.samples.quickstart.report;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A summary of a user, and the fencing token of the hold that wrote it.
 */
@Table
record UserReport(@Id @Nullable Long id, String userId, String summary, long fencingToken, Instant generatedAt,
		String generatedBy) {
}
