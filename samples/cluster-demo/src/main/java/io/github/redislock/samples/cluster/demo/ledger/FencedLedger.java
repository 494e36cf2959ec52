package io.github.redislock.samples.cluster.demo.ledger;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

import io.github.redislock.samples.cluster.message.Claim;

/**
 * The resource that the lock protects. It accepts no fencing token smaller than the last
 * accepted one, and detects two workers that claim the lock at the same time.
 * <p>
 * The ledger itself does not use the lock. A process that was stopped past its lease may
 * still write. If a later holder has already written, the ledger refuses the late write.
 * That is not a violation, because the claim of the late write has ended. It is a
 * violation if two claims are valid at the same time, or if a valid claim is refused.
 * Thread-safe.
 */
final class FencedLedger {

	private final LongSupplier clock;

	/** The latest claim of each worker, unless the worker has ended it. */
	private final Map<String, Claim> claims = new HashMap<>();

	/**
	 * The violations that were already counted, so that a pair of holds is counted only
	 * once for each kind of violation.
	 */
	private final Set<String> seen = new HashSet<>();

	private Claim last = new Claim("nobody", 0, 0);

	FencedLedger(LongSupplier clock) {
		this.clock = clock;
	}

	/**
	 * Record a write. The claim of the write is valid until it expires or the worker ends
	 * it.
	 */
	synchronized Verdict write(Claim claim) {
		List<String> violations = new ArrayList<>();
		Claim newest = this.last;
		boolean accepted = claim.token() > newest.token()
				|| (claim.token() == newest.token() && claim.worker().equals(newest.worker()));
		if (accepted) {
			this.last = claim;
		}
		boolean good = isGood(claim);
		if (good) {
			this.claims.values()
				.stream()
				.filter((other) -> !other.worker().equals(claim.worker()) && isGood(other)
						&& isNew("both", claim, other))
				.forEach((other) -> violations.add("%s and %s hold the lock at the same time, with tokens %d and %d"
					.formatted(other.worker(), claim.worker(), other.token(), claim.token())));
			if (!accepted && isNew("token", claim, newest)) {
				violations.add("%s holds the lock with token %d, but %s had %d before".formatted(claim.worker(),
						claim.token(), newest.worker(), newest.token()));
			}
			this.claims.put(claim.worker(), claim);
		}
		return new Verdict(accepted, !accepted && !good, newest, violations);
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

	private boolean isNew(String what, Claim one, Claim other) {
		long low = Math.min(one.token(), other.token());
		long high = Math.max(one.token(), other.token());
		return this.seen.add("%s %d %d".formatted(what, low, high));
	}

	/**
	 * The outcome of a write.
	 *
	 * @param accepted whether the write was accepted
	 * @param stale whether the write was refused and its claim had ended
	 * @param newest the claim of the last accepted write before this one
	 * @param violations the violations that were detected
	 */
	record Verdict(boolean accepted, boolean stale, Claim newest, List<String> violations) {
	}

}
