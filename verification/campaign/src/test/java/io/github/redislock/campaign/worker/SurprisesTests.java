package io.github.redislock.campaign.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockTarget;
import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.history.Outcome;
import io.github.redislock.campaign.history.Recorder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class SurprisesTests {

	@TempDir
	private Path directory;

	@Test
	void refusalIsNotUnexpected() throws IOException {
		assertThat(writtenDownFor(null)).isEmpty();
	}

	@Test
	void deadlockIsUnexpected() throws IOException {
		assertThat(writtenDownFor("Deadlock of 2 callers")).isEqualTo("bad Deadlock of 2 callers\n");
	}

	private String writtenDownFor(@Nullable String deadlock) throws IOException {
		Path file = this.directory.resolve("history");
		Duration time = Duration.ofSeconds(5);

		new Surprises(Topology.STANDALONE, new Recorder(file)).check(Outcome.REFUSED,
				new LockNotAcquiredException(LockTarget.of("key-1"), time, time, null, null, deadlock));

		return Files.readString(file);
	}

}
