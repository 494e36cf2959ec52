package io.github.redislock.campaign.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.github.redislock.LockException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.history.Outcome;
import io.github.redislock.campaign.history.Recorder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class SurprisesTests {

	private static final LockTarget TARGET = LockTarget.of("key-1");

	@TempDir
	private Path directory;

	@Test
	void refusalIsNotUnexpected() throws IOException {
		assertThat(recordedForDeadlock(null)).isEmpty();
	}

	@Test
	void deadlockIsUnexpected() throws IOException {
		assertThat(recordedForDeadlock("Deadlock since noon")).isEqualTo("bad Deadlock since noon\n");
	}

	@Test
	void lateReplyAfterAPauseIsNotUnexpected() throws IOException {
		assertThat(recordedForFailure("the store has not replied to the latest request yet")).isEmpty();
		assertThat(recordedForFailure("the store's reply came after the lease of 1s was over")).isEmpty();
	}

	@Test
	void otherFailureIsUnexpected() throws IOException {
		assertThat(recordedForFailure("the store replied nonsense"))
			.isEqualTo("bad Lock 'key-1' not acquired: the store replied nonsense\n");
	}

	private String recordedForDeadlock(@Nullable String deadlock) throws IOException {
		Duration time = Duration.ofSeconds(5);
		return recorded(Outcome.REFUSED, new LockNotAcquiredException(TARGET, time, time, null, null, null, deadlock));
	}

	private String recordedForFailure(String reason) throws IOException {
		return recorded(Outcome.STORE_FAILURE,
				new LockStoreException(TARGET, "Lock 'key-1' not acquired: " + reason, null, true, true));
	}

	private String recorded(Outcome outcome, LockException failure) throws IOException {
		Path file = Files.createTempFile(this.directory, "history", null);
		new Surprises(Topology.STANDALONE, new Recorder(file)).check(outcome, failure);
		return Files.readString(file);
	}

}
