package io.github.redislock.samples.quickstart.batch;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * An item of a batch that was processed.
 */
@Table
record BatchItem(@Id @Nullable Long id, String batchId, int item, String processedBy, Instant processedAt) {
}
