package io.github.redislock.samples.quickstart.report;

import java.util.Optional;

import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.ListCrudRepository;

interface UserReportRepository extends ListCrudRepository<UserReport, Long> {

	Optional<UserReport> findByUserId(String userId);

	/**
	 * Replace a report if the stored one is from an earlier hold of the lock.
	 */
	@Modifying
	@Query("""
			update user_report
			set summary = :#{#report.summary()}, fencing_token = :#{#report.fencingToken()},
				generated_at = :#{#report.generatedAt()}, generated_by = :#{#report.generatedBy()}
			where user_id = :#{#report.userId()} and fencing_token < :#{#report.fencingToken()}
			""")
	boolean replace(UserReport report);

}
