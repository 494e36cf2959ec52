package io.github.redislock.samples.quickstart.report;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Optional;

import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.ListCrudRepository;

interface DailyReportRepository extends ListCrudRepository<DailyReport, Long> {

	Optional<DailyReport> findByReportDate(LocalDate reportDate);

	@Query("select count(distinct order_id) from charge where charged_at >= :from and charged_at < :to")
	long countOrders(Instant from, Instant to);

	@Query("select coalesce(sum(amount), 0) from charge where charged_at >= :from and charged_at < :to")
	BigDecimal sumRevenue(Instant from, Instant to);

}
