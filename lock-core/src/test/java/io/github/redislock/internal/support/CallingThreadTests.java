package io.github.redislock.internal.support;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class CallingThreadTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final List<String> events = new ArrayList<>();

	@Test
	void threadSendsItsFirstRequestAfterTheCodeThatOffersIt() {
		String result = begin(() -> {
			offer("first", SECOND);
			offer("second", SECOND);
			this.events.add("begun");
			return "result";
		});

		assertThat(result).isEqualTo("result");
		assertThat(this.events).containsExactly("second refused", "begun", "first");
	}

	@Test
	void requestIsSentByOthersIfTheCodeFailsAfterItsOffer() {
		assertThatIllegalStateException().isThrownBy(() -> begin(() -> {
			offer("request", SECOND);
			throw new IllegalStateException("failed");
		})).withMessage("failed");

		assertThat(this.events).containsExactly("request elsewhere");
	}

	@Test
	void threadThatNeedsNotWaitSendsNothing() {
		CallingThread.begin(SECOND, () -> {
			offer("request", SECOND);
			return CompletableFuture.completedFuture("done");
		}, (outcome) -> outcome);

		assertThat(this.events).containsExactly("request elsewhere");
	}

	@Test
	void threadThatDoesNotWaitSendsNothing() {
		offer("before", SECOND);
		begin(() -> "nothing");
		offer("after", SECOND);

		assertThat(this.events).containsExactly("before refused", "after refused");
	}

	@Test
	void threadDoesNotSendWhatMayTakeLongerThanItWaits() {
		begin(() -> {
			offer("long", SECOND.plusNanos(1));
			return "result";
		});

		assertThat(this.events).containsExactly("long refused");
	}

	@Test
	void requestsOfOthersAreNotAccepted() {
		begin(() -> {
			CallingThread.runOther(() -> offer("other", SECOND));
			offer("own", SECOND);
			return "result";
		});

		assertThat(this.events).containsExactly("other refused", "own");
	}

	@Test
	void requestOfANestedOperationIsSentWhenThatHasBegun() {
		begin(() -> {
			offer("outer", SECOND);
			begin(() -> {
				offer("inner", SECOND);
				return "inner";
			});
			this.events.add("nested");
			return "outer";
		});

		assertThat(this.events).containsExactly("inner", "nested", "outer");
	}

	@Test
	void threadWhoseStackIsNearlyFullSendsNothing() {
		nearTheEndOfTheStack(() -> begin(() -> {
			boolean accepted = CallingThread.accepts((waits) -> {
			}, SECOND);
			this.events.add("accepted: " + accepted);
			return "result";
		}));

		assertThat(this.events).containsExactly("accepted: false");
	}

	/**
	 * Call an action when the stack has overflowed, with a little more stack each time,
	 * until it succeeds.
	 */
	@SuppressWarnings("InfiniteRecursion") // The stack has to overflow.
	private static void nearTheEndOfTheStack(Runnable action) {
		try {
			nearTheEndOfTheStack(action);
		}
		catch (VirtualMachineError ex) {
			action.run();
		}
	}

	private static String begin(Supplier<String> begin) {
		return CallingThread.begin(SECOND, begin, (begun) -> new CompletableFuture<>());
	}

	private void offer(String request, Duration longest) {
		if (!CallingThread.accepts((waits) -> this.events.add(request + (waits ? "" : " elsewhere")), longest)) {
			this.events.add(request + " refused");
		}
	}

}
