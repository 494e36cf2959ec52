package io.github.redislock.simulation;

import java.util.Objects;
import java.util.function.BiConsumer;

import io.github.redislock.LockException;
import io.github.redislock.LockHandle;
import io.github.redislock.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Acquires a lock through the blocking API, on a separate thread.
 */
final class BlockingAttempt extends Attempt {

	private final Caller caller;

	/**
	 * Referenced so that the engine does not treat the lock as abandoned after a garbage
	 * collection.
	 */
	private @Nullable LockHandle lock;

	BlockingAttempt(int number, Instance instance, Ask ask, long askedAt, Caller caller) {
		super(number, instance, ask, askedAt);
		this.caller = caller;
		caller.begin();
	}

	@Override
	Caller caller() {
		return this.caller;
	}

	@Override
	public void execute(Runnable task) {
		this.caller.execute(task);
	}

	@Override
	void begin(World world) {
		LockHandle given;
		try {
			given = instance().engine().acquire(ask().target(), ask().terms().options());
		}
		catch (LockException ex) {
			world.failed(this, ex);
			return;
		}
		this.lock = given;
		holds(given);
		world.given(this);
	}

	@Override
	void stopWaiting(World world) {
		world.interrupt(this.caller);
	}

	@Override
	void onLost(Runnable action) {
		lock().onLost(action);
	}

	@Override
	void twist(World world) {
		try {
			switch (ask().twist()) {
				case EXTEND -> lock().extend(ask().terms().requiredLease());
				case RENEW -> lock().renew();
				case SHORTEN -> lock().renew(ask().terms().requiredLease().dividedBy(2));
				case VERIFY -> lock().verify();
				case AGAIN -> world.ask(ask().again(ask().target()), instance(), this.caller);
				case READ -> world.ask(ask().again(ask().target().forReading()), instance(), this.caller);
				case ANOTHER -> world.ask(ask().another(), instance(), this.caller);
				default -> throw new IllegalArgumentException("Not possible while holding a lock: " + ask().twist());
			}
		}
		catch (LockException | IllegalStateException ex) {
			world.counts().count("twist failed: " + ex.getClass().getSimpleName());
		}
	}

	@Override
	void release(BiConsumer<@Nullable ReleaseOutcome, @Nullable Throwable> told) {
		told.accept(lock().release(), null);
	}

	@Override
	void over() {
		super.over();
		this.caller.end();
	}

	private LockHandle lock() {
		return Objects.requireNonNull(this.lock);
	}

}
