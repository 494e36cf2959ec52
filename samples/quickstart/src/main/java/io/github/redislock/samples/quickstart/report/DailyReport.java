package io.github.redislock.samples.quickstart.report;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * The sales of a day.
 */
@Table
record DailyReport(@Id @Nullable Long id, LocalDate reportDate, long orders, BigDecimal revenue, Instant generatedAt,
		String generatedBy) {
}
