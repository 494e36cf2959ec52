package io.github.redislock.samples.quickstart.report;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Optional;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.IfLocked;
import io.github.redislock.samples.quickstart.SimulatedWork;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

/**
 * Generates the report of a day once, with the annotation.
 */
@Service
class DailyReports {

	private final DailyReportRepository reports;

	private final SimulatedWork statistics;

	private final String instance;

	DailyReports(DailyReportRepository reports, SimulatedWork statistics,
			@Value("${quickstart.instance}") String instance) {
		this.reports = reports;
		this.statistics = statistics;
		this.instance = instance;
	}

	/**
	 * Generate the report of a day, or return the existing one.
	 * @return the report, or empty if another caller is generating it
	 */
	@DistributedLock(name = "daily-report", key = "#date", timeout = "5m", ifLocked = IfLocked.SKIP)
	public Optional<DailyReport> generate(LocalDate date) {
		return this.reports.findByReportDate(date).or(() -> Optional.of(generateAnew(date)));
	}

	Optional<DailyReport> find(LocalDate date) {
		return this.reports.findByReportDate(date);
	}

	private DailyReport generateAnew(LocalDate date) {
		this.statistics.run();
		Instant from = date.atStartOfDay(ZoneOffset.UTC).toInstant();
		Instant to = date.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
		return this.reports.save(new DailyReport(null, date, this.reports.countOrders(from, to),
				this.reports.sumRevenue(from, to), Instant.now(), this.instance));
	}

}
