package io.github.redislock.samples.quickstart.batch;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A processed item of a batch.
 */
@Table
record BatchItem(@Id @Nullable Long id, String batchId, int item, String processedBy, Instant processedAt) {
}
