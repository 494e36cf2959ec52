package io.github.redislock.simulation;

/**
 * Until the first fault, a lock whose lease is renewed is not lost. Owners that share a
 * token are not checked.
 */
final class RenewedHoldLasts extends Rule {

	RenewedHoldLasts(World world) {
		super(world);
	}

	@Override
	void lost(Attempt attempt) {
		Terms terms = attempt.ask().terms();
		if (world().isUndisturbed() && (terms.autoRenew() || terms.isEndless()) && attempt.instance().isOpen()
				&& !world().isShared(attempt)) {
			broken("caller %s of %s has lost '%s', which is renewed or never expires, although there was no fault"
				.formatted(attempt, attempt.instance(), attempt.ask().target()));
		}
	}

}
