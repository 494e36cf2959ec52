package io.github.redislock.samples.quickstart.report;

class StaleReportException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	StaleReportException(String userId) {
		super("The report of '%s' was not stored: a later holder of the lock has already stored one".formatted(userId));
	}

}
