package io.github.redislock.samples.quickstart.ratelimit;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A call that was allowed.
 */
@Table
record ApiCall(@Id @Nullable Long id, String userId, Instant calledAt) {
}
