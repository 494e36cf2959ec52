package io.github.redislock.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockTarget;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.store.LockStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is known of several locks of which some cannot be asked for. All that they do is
 * in {@link SeveralLocksContract}.
 */
class AllOrNoneStoreTests {

	private static final LockTarget BOTH = LockTarget.allOf(LockTarget.of("a"), LockTarget.of("b"));

	@Test
	void oneThatIsGoneIsKnownThoughAnotherDoesNotAnswer() {
		assertThat(isOwner("b away", "a").toCompletableFuture()).isCompletedWithValue(false);
		assertThat(isOwner("a away", "b").toCompletableFuture()).isCompletedWithValue(false);
	}

	@Test
	void nothingIsKnownIfOneDoesNotAnswerAndTheOthersAreThere() {
		assertThat(isOwner("b away", "").toCompletableFuture()).isCompletedExceptionally();
	}

	private static CompletionStage<Boolean> isOwner(String away, String gone) {
		LockStore store = new CountingStore(new InMemoryLockStore()) {

			@Override
			public CompletionStage<Boolean> isOwner(LockTarget target, String owner) {
				return away.startsWith(target.name()) ? CompletableFuture.failedFuture(new IllegalStateException(away))
						: CompletableFuture.completedFuture(!gone.equals(target.name()));
			}

		};
		return new AllOrNoneStore(store).isOwner(BOTH, "me");
	}

}
