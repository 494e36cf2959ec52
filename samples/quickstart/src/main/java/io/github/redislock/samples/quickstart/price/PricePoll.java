package io.github.redislock.samples.quickstart.price;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A poll of the supplier, with the term of the leader that polled.
 */
@Table
record PricePoll(@Id @Nullable Long id, long term, String polledBy, Instant polledAt) {
}
