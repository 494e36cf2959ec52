package io.github.redislock.samples.quickstart.web;

import java.time.Duration;
import java.util.Objects;

import io.github.redislock.InvalidLockNameException;
import io.github.redislock.LockException;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Responses to requests that did not get their lock, or lost it.
 */
@RestControllerAdvice
class LockProblems {

	private static final Duration SOON = Duration.ofSeconds(1);

	@ExceptionHandler
	ResponseEntity<ProblemDetail> busy(LockNotAcquiredException ex) {
		if (ex.getWaitingCallers() > 0) {
			// 503 and not 429, because this client did not send too many requests.
			return reply(
					busy(HttpStatus.SERVICE_UNAVAILABLE, "Too many callers", ex, "Nothing was changed: try again."),
					Objects.requireNonNullElse(ex.getRetryAfter(), SOON));
		}
		return switch (Objects.requireNonNullElse(ex.getTarget().metricName(), "")) {
			case "payment" -> reply(busy(HttpStatus.CONFLICT, "Payment in progress", ex,
					"Do not pay again: use GET to see the result."), null);
			case "stock" ->
				reply(busy(HttpStatus.SERVICE_UNAVAILABLE, "Too many orders", ex, "Nothing was changed: try again."),
						SOON);
			case "rate-limit" -> reply(
					busy(HttpStatus.TOO_MANY_REQUESTS, "Too many requests", ex,
							"Try again after the time in Retry-After."),
					Objects.requireNonNullElse(ex.getRetryAfter(), SOON));
			default -> reply(busy(HttpStatus.CONFLICT, "Busy", ex, "Try again later."), SOON);
		};
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> lost(LockLostException ex) {
		return reply(Problem.of(HttpStatus.INTERNAL_SERVER_ERROR, "Lock lost",
				ex.getMessage() + ". Use GET to check what was done before you try again."), null);
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> outage(LockStoreException ex) {
		String advice = ex.isRetryable() ? "Try again soon." : "An operator has to fix this first.";
		return reply(Problem.of(HttpStatus.SERVICE_UNAVAILABLE, "Redis did not reply",
				"%s. %s".formatted(ex.getMessage(), advice)), ex.isRetryable() ? SOON : null);
	}

	/**
	 * Response if another program uses the key of a lock. Retries do not help.
	 */
	@ExceptionHandler
	ResponseEntity<ProblemDetail> conflict(LockKeyConflictException ex) {
		return reply(Problem.of(HttpStatus.INTERNAL_SERVER_ERROR, "Key in use",
				ex.getMessage() + ". An operator has to fix this first."), null);
	}

	/**
	 * Response if the shutdown cancelled a wait. A shutdown may also interrupt request
	 * threads.
	 */
	@ExceptionHandler({ LockShutdownException.class, LockInterruptedException.class })
	ResponseEntity<ProblemDetail> shutdown(LockException ex) {
		return reply(Problem.of(HttpStatus.SERVICE_UNAVAILABLE, "Shutting down",
				ex.getMessage() + ". Nothing was changed: try again."), SOON);
	}

	/**
	 * Response if a path variable yields no valid lock name.
	 */
	@ExceptionHandler
	ResponseEntity<ProblemDetail> unusable(InvalidLockNameException ex) {
		return reply(Problem.of(HttpStatus.BAD_REQUEST, "Unusable name", ex.getMessage()), null);
	}

	private static ProblemDetail busy(HttpStatus status, String title, LockNotAcquiredException ex, String advice) {
		ProblemDetail problem = Problem.of(status, title, "%s. %s".formatted(ex.getMessage(), advice));
		problem.setProperty("lock", ex.getLockName());
		LockState holder = ex.getHolder();
		if (holder != null) {
			problem.setProperty("holder", holder.holder());
			problem.setProperty("heldSince", holder.since());
		}
		return problem;
	}

	private static ResponseEntity<ProblemDetail> reply(ProblemDetail problem, @Nullable Duration retryAfter) {
		ResponseEntity.BodyBuilder response = ResponseEntity.status(problem.getStatus());
		if (retryAfter != null) {
			response.header(HttpHeaders.RETRY_AFTER, Long.toString(retryAfter.plusMillis(999).toSeconds()));
		}
		return response.body(problem);
	}

}
