package io.github.redislock.campaign.worker;

import io.github.redislock.campaign.history.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The locks under test, as an instance of an application uses them.
 */
interface Locks extends AutoCloseable {

	Held acquire(Want want) throws DeniedException;

	@Override
	void close();

	final class DeniedException extends Exception {

		private static final long serialVersionUID = 1L;

		private final Outcome outcome;

		private final @Nullable String holder;

		DeniedException(Outcome outcome, @Nullable String holder, @Nullable Throwable cause) {
			super(cause);
			this.outcome = outcome;
			this.holder = holder;
		}

		Outcome outcome() {
			return this.outcome;
		}

		@Nullable String holder() {
			return this.holder;
		}

	}

}
