package io.github.redislock.campaign.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.internal.support.OwnerTokens;
import org.jspecify.annotations.Nullable;

/**
 * Looks for false refusals: the lock had no holder, or its only holder was the refused
 * caller, which did not learn of its grant.
 * <p>
 * Another attempt <em>may have</em> the lock from its beginning until its release.
 * Without a release, it may have the lock as long as the store keeps the lock. A refusal
 * is true only if
 * <ol>
 * <li>another attempt may have had the lock at that time;</li>
 * <li>the named holder is not the refused caller itself with an explicit owner
 * token;</li>
 * <li>the named holder may have had the lock at that time, or a failed attempt of the
 * holder's process may have left the lock behind, either without a holder or for other
 * waiters of that process.</li>
 * </ol>
 * Therefore every report is correct, but with many contenders some errors go unnoticed.
 */
final class RefusalChecker {

	private final Rules rules;

	private final List<Attempt> attempts;

	/** The time span in which each owner may have had the lock. */
	private final Map<String, Span> byOwner = new HashMap<>();

	private final List<Violation> violations = new ArrayList<>();

	private RefusalChecker(List<Attempt> attempts, Rules rules) {
		this.attempts = attempts.stream().sorted(Comparator.comparingLong(Attempt::invoked)).toList();
		this.rules = rules;
	}

	static List<Violation> check(Map<String, List<Attempt>> byKey, Rules rules) {
		List<Violation> violations = new ArrayList<>();
		byKey.values().forEach((attempts) -> {
			RefusalChecker checker = new RefusalChecker(attempts, rules);
			checker.check();
			violations.addAll(checker.violations);
		});
		return violations;
	}

	private void check() {
		for (Attempt attempt : this.attempts) {
			if (attempt.grant() != null) {
				String owner = attempt.grant().owner();
				this.byOwner.merge(owner, span(attempt), Span::and);
				this.byOwner.merge(OwnerTokens.shortened(owner), span(attempt), Span::and);
			}
		}
		List<Attempt> refused = this.attempts.stream()
			.filter((attempt) -> attempt.outcome() == Outcome.REFUSED)
			.sorted(Comparator.comparingLong(Attempt::replied))
			.toList();
		Longest longest = new Longest();
		int begun = 0;
		for (Attempt attempt : refused) {
			while (begun < this.attempts.size() && this.attempts.get(begun).invoked() <= attempt.replied()) {
				longest.add(this.attempts.get(begun), span(this.attempts.get(begun)).until());
				begun++;
			}
			judge(attempt, longest);
		}
	}

	private void judge(Attempt refused, Longest others) {
		long since = refused.invoked() - this.rules.memory().toNanos();
		String holder = refused.holder();
		if (others.untilOfOthers(refused) < since) {
			report("no other caller could have had the lock", refused);
		}
		else if (holder != null && isOnly(holder, refused)) {
			report("only the refused caller itself had the lock", refused);
		}
		else if (holder != null && !mayHold(holder, refused, since)) {
			report("the named holder could not have had the lock", refused);
		}
	}

	private boolean isOnly(String holder, Attempt refused) {
		return isNamed(holder, refused.ownToken()) && this.attempts.stream()
			.filter((other) -> !other.equals(refused))
			.noneMatch((other) -> isNamed(holder, other.ownToken())
					|| (other.grant() != null && isNamed(holder, other.grant().owner())));
	}

	private static boolean isNamed(String holder, @Nullable String token) {
		return token != null && (holder.equals(token) || holder.equals(OwnerTokens.shortened(token)));
	}

	private boolean mayHold(String holder, Attempt refused, long since) {
		Span known = this.byOwner.get(holder);
		if (known != null && known.meets(since, refused.replied())) {
			return true;
		}
		return this.attempts.stream()
			.filter((other) -> !other.equals(refused) && other.grant() == null)
			.filter((other) -> isNamed(holder, other.ownToken()) || holder.startsWith(other.client() + "/"))
			.anyMatch((other) -> span(other).meets(since, refused.replied()));
	}

	private Span span(Attempt attempt) {
		long afterlife = (attempt.outcome().mayLeaveLockBehind() || !this.rules.released())
				? this.rules.afterlife().toNanos() : 0;
		return new Span(attempt.invoked(), attempt.ended() + afterlife);
	}

	private void report(String reason, Attempt refused) {
		this.violations.add(new Violation(Promise.TRUE_REFUSAL, reason + "\n    " + refused));
	}

	private record Span(long from, long until) {

		Span and(Span other) {
			return new Span(Math.min(this.from, other.from), Math.max(this.until, other.until));
		}

		boolean meets(long begin, long end) {
			return this.from <= end && this.until >= begin;
		}

	}

	/**
	 * Finds the latest time at which an attempt other than the refused one may have held
	 * the lock.
	 */
	private static final class Longest {

		private @Nullable Attempt first;

		private long firstUntil = Long.MIN_VALUE;

		private long secondUntil = Long.MIN_VALUE;

		void add(Attempt attempt, long until) {
			if (until > this.firstUntil) {
				this.secondUntil = this.firstUntil;
				this.first = attempt;
				this.firstUntil = until;
			}
			else {
				this.secondUntil = Math.max(this.secondUntil, until);
			}
		}

		long untilOfOthers(Attempt one) {
			return !one.equals(this.first) ? this.firstUntil : this.secondUntil;
		}

	}

}
