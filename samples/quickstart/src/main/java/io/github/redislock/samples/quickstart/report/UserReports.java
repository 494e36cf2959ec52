package io.github.redislock.samples.quickstart.report;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.samples.quickstart.SimulatedWork;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;

/**
 * Generates the report of a user in two phases, with a lock that the code itself acquires
 * and extends.
 */
@Service
class UserReports {

	private static final Duration PHASE = Duration.ofSeconds(60);

	private final RedisLockTemplate locks;

	private final UserReportRepository reports;

	private final SimulatedWork phase;

	private final String instance;

	UserReports(RedisLockTemplate locks, UserReportRepository reports, SimulatedWork phase,
			@Value("${quickstart.instance}") String instance) {
		this.locks = locks;
		this.reports = reports;
		this.phase = phase;
		this.instance = instance;
	}

	/**
	 * Generate the report of a user.
	 * @return the report, or empty if another caller is generating it
	 */
	Optional<UserReport> generate(String userId) {
		LockOptions options = LockOptions.options().timeout(PHASE).autoRenew(false).retry(0);
		LockHandle lock = this.locks.tryAcquire(LockTarget.of("user-report", userId), options);
		if (lock == null) {
			return Optional.empty();
		}
		try (lock) {
			this.phase.run(); // collect
			lock.extend(PHASE);
			this.phase.run(); // analyse
			return Optional.of(store(new UserReport(null, userId, "%s buys books".formatted(userId),
					lock.fencingToken(), Instant.now(), this.instance)));
		}
	}

	Optional<UserReport> find(String userId) {
		return this.reports.findByUserId(userId);
	}

	/**
	 * Store a report. If this process was stopped for longer than its lease, its token is
	 * smaller than that of the next holder. If that holder has stored a report, the
	 * update changes no row.
	 */
	private UserReport store(UserReport report) {
		if (this.reports.findByUserId(report.userId()).isEmpty()) {
			return this.reports.save(report);
		}
		if (!this.reports.replace(report)) {
			throw new StaleReportException(report.userId());
		}
		return report;
	}

}
