package io.github.redislock.samples.quickstart.report;

import java.time.LocalDate;
import java.util.Map;
import java.util.Optional;

import io.github.redislock.samples.quickstart.web.Problem;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/reports")
class ReportController {

	private final DailyReports dailyReports;

	private final UserReports userReports;

	ReportController(DailyReports dailyReports, UserReports userReports) {
		this.dailyReports = dailyReports;
		this.userReports = userReports;
	}

	@PostMapping("/daily/{date}")
	ResponseEntity<?> generateDaily(@PathVariable LocalDate date) {
		Optional<DailyReport> report = this.dailyReports.generate(date);
		return report.isPresent() ? ResponseEntity.ok(report.get()) : ResponseEntity.accepted()
			.body(Map.of("reportDate", date, "status", "being generated", "message",
					"Another caller generates this report: GET /reports/daily/%s shows it soon".formatted(date)));
	}

	@GetMapping("/daily/{date}")
	ResponseEntity<DailyReport> daily(@PathVariable LocalDate date) {
		return ResponseEntity.of(this.dailyReports.find(date));
	}

	@PostMapping("/user/{userId}")
	Map<String, ?> generateUser(@PathVariable String userId) {
		Optional<UserReport> report = this.userReports.generate(userId);
		return report.isPresent() ? Map.of("userId", userId, "status", "completed", "report", report.get())
				: Map.of("userId", userId, "status", "skipped", "message",
						"Another caller generates this report: GET /reports/user/%s shows it soon".formatted(userId));
	}

	@GetMapping("/user/{userId}")
	ResponseEntity<UserReport> user(@PathVariable String userId) {
		return ResponseEntity.of(this.userReports.find(userId));
	}

	@ExceptionHandler
	ProblemDetail stale(StaleReportException ex) {
		return Problem.of(HttpStatus.CONFLICT, "Report is stale", ex.getMessage());
	}

}
