package io.github.redislock.samples.cluster.demo.ledger;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

import javax.sql.DataSource;

import io.github.redislock.fencing.JdbcFence;
import io.github.redislock.fencing.StaleFencingTokenException;
import io.github.redislock.samples.cluster.message.Claim;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The resource that the lock protects: a table, written in transactions that a
 * {@link JdbcFence} admits or refuses. Also detects two workers that claim the lock at
 * the same time.
 * <p>
 * The ledger itself does not use the lock. A process that was stopped past its lease may
 * still write. If a later holder has already written, the ledger refuses the late write.
 * That is not a violation, because the claim of the late write has ended. It is a
 * violation if two claims are valid at the same time, or if a valid claim is refused.
 * Thread-safe.
 */
final class FencedLedger {

	private final TransactionOperations transactions;

	private final JdbcTemplate jdbc;

	private final JdbcFence fence;

	private final LongSupplier clock;

	/** The latest claim of each worker, unless the worker has ended it. */
	private final Map<String, Claim> claims = new HashMap<>();

	/**
	 * The violations that were already counted, so that a pair of holds is counted only
	 * once for each kind of violation.
	 */
	private final Set<String> seen = new HashSet<>();

	FencedLedger(DataSource database, LongSupplier clock) {
		this.transactions = new TransactionTemplate(new JdbcTransactionManager(database));
		this.jdbc = new JdbcTemplate(database);
		this.fence = new JdbcFence(this.jdbc);
		this.clock = clock;
	}

	/**
	 * Record a write. The claim of the write is valid until it expires or the worker ends
	 * it.
	 */
	synchronized Verdict write(Claim claim) {
		List<String> violations = new ArrayList<>();
		boolean good = isGood(claim);
		StaleFencingTokenException refusal = enter(claim);
		if (good) {
			this.claims.values()
				.stream()
				.filter((other) -> !other.worker().equals(claim.worker()) && isGood(other)
						&& isNew("both", claim.token(), other.token()))
				.forEach((other) -> violations.add("%s and %s hold the lock at the same time, with tokens %d and %d"
					.formatted(other.worker(), claim.worker(), other.token(), claim.token())));
			if (refusal != null && isNew("token", claim.token(), refusal.getNewestToken())) {
				violations.add("%s holds the lock with token %d, but %s had %d before".formatted(claim.worker(),
						claim.token(), refusal.getNewestHolder(), refusal.getNewestToken()));
			}
			this.claims.put(claim.worker(), claim);
		}
		return new Verdict(refusal, good, violations);
	}

	/**
	 * Write the worker's entry, if the fence admits it.
	 */
	private @Nullable StaleFencingTokenException enter(Claim claim) {
		try {
			this.transactions.executeWithoutResult((transaction) -> {
				this.fence.admit("ledger", claim.token(), claim.worker());
				this.jdbc.update("merge into entry (worker, token) values (?, ?)", claim.worker(), claim.token());
			});
			return null;
		}
		catch (StaleFencingTokenException ex) {
			return ex;
		}
	}

	/**
	 * End a worker's claim. The worker calls this before it releases the lock.
	 */
	synchronized void leave(String worker, long token) {
		this.claims.computeIfPresent(worker, (name, claim) -> (claim.token() == token) ? null : claim);
	}

	private boolean isGood(Claim claim) {
		return claim.until() - this.clock.getAsLong() > 0;
	}

	private boolean isNew(String what, long one, long other) {
		return this.seen.add("%s %d %d".formatted(what, Math.min(one, other), Math.max(one, other)));
	}

	/**
	 * The outcome of a write.
	 *
	 * @param refusal why the write was refused, or {@code null} if it was accepted
	 * @param claimed whether the claim of the write was valid
	 * @param violations the violations that were detected
	 */
	record Verdict(@Nullable StaleFencingTokenException refusal, boolean claimed, List<String> violations) {

		boolean accepted() {
			return this.refusal == null;
		}

	}

}
