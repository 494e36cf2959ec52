package io.github.redislock.benchmarks.worker;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class GuardTests {

	@TempDir
	private Path folder;

	@Test
	void sequentialEntriesAreNotAViolation() throws Exception {
		Guard one = guard(1);
		Guard other = guard(2);

		assertThat(one.enter()).isNegative();
		one.leave();
		assertThat(one.enter()).isNegative();
		one.leave();
		assertThat(other.enter()).isNotNegative();
		other.leave();

		assertThat(one.entries()).isEqualTo(3);
		assertThat(one.violations() + other.violations()).isZero();
	}

	@Test
	void concurrentEntriesAreDetected() throws Exception {
		Guard one = guard(1);
		Guard other = guard(2);

		one.enter();
		other.enter();
		one.leave();
		other.leave();

		assertThat(one.violations()).isPositive();
		assertThat(other.violations()).isPositive();
	}

	private Guard guard(long process) throws Exception {
		return Guard.map(this.folder.resolve("guard"), process);
	}

}
