package io.github.redislock.simulation;

/**
 * Until the first fault, a lock whose lease is renewed is not lost.
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
			broken("caller %s of %s has lost '%s', whose lease is renewed, although there was no fault"
				.formatted(attempt, attempt.instance(), attempt.ask().target()));
		}
	}

}
