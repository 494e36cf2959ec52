package io.github.redislock.campaign.failover;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What one fail-over cost. All times are nanoseconds.
 *
 * @param blow what happened to the master
 * @param fault why the fail-over cannot be judged, or {@code null}
 * @param overlap for how long a lock had two holders
 * @param lost how many increments were overwritten
 * @param firstGrant the time from the fault to the first grant by another master
 * @param taken how often a hot lock was acquired
 * @param acquiring the times to acquire a free lock before the fault
 * @param took how long everything took, until the next fail-over could begin
 */
record Result(Blow blow, @Nullable String fault, long overlap, long lost, long firstGrant, long taken,
		List<Long> acquiring, Duration took) {

	static Result notJudged(Blow blow, String fault, Duration took) {
		return new Result(blow, fault, 0, 0, 0, 0, List.of(), took);
	}

	boolean isJudged() {
		return this.fault == null;
	}

}
