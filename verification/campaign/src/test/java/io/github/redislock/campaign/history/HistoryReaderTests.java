package io.github.redislock.campaign.history;

import java.nio.file.Path;
import java.util.OptionalLong;

import io.github.redislock.campaign.history.Attempt.Grant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class HistoryReaderTests {

	@TempDir
	private Path directory;

	private Recorder recorder;

	@BeforeEach
	void record() {
		this.recorder = new Recorder(this.directory.resolve("history"));
	}

	@Test
	void holdIsReadAsWritten() {
		long attempt = this.recorder.asks("key-1", "mine", 7);
		this.recorder.has(attempt, 42, "mine", 100, 300);
		this.recorder.ends(attempt, Outcome.RELEASED, 200);

		Attempt read = read(OptionalLong.empty()).attempts().get(0);

		assertThat(read.client()).isEqualTo("c1.1");
		assertThat(read.key()).isEqualTo("key-1");
		assertThat(read.ownToken()).isEqualTo("mine");
		assertThat(read.waitNanos()).isEqualTo(7);
		assertThat(read.replied()).isEqualTo(100);
		assertThat(read.grant()).isEqualTo(new Grant(42, "mine", 100, 200));
		assertThat(read.outcome()).isEqualTo(Outcome.RELEASED);
	}

	@Test
	void refusalIsReadAsWritten() {
		this.recorder.isDenied(this.recorder.asks("key-1", null, 7), Outcome.REFUSED, 100, "c2.1/x");

		Attempt read = read(OptionalLong.empty()).attempts().get(0);

		assertThat(read.grant()).isNull();
		assertThat(read.ownToken()).isNull();
		assertThat(read.holder()).isEqualTo("c2.1/x");
		assertThat(read.ended()).isEqualTo(100);
	}

	@Test
	void killedProcessClaimsNothingAfterwards() {
		this.recorder.has(this.recorder.asks("key-1", null, 0), 42, "x", 100, 900);

		Attempt read = read(OptionalLong.of(500)).attempts().get(0);

		assertThat(read.grant()).isEqualTo(new Grant(42, "x", 100, 500));
		assertThat(read.outcome()).isEqualTo(Outcome.KILLED);
	}

	@Test
	void processKilledDuringAReleaseClaimsNothingAfterItBegan() {
		long attempt = this.recorder.asks("key-1", null, 0);
		this.recorder.has(attempt, 42, "x", 100, 900);
		this.recorder.lets(attempt, 300);

		assertThat(read(OptionalLong.of(500)).attempts().get(0).grant()).isEqualTo(new Grant(42, "x", 100, 300));
	}

	@Test
	void unfinishedAttemptOfALivingProcessIsReportedAsStuck() {
		this.recorder.asks("key-1", null, 0);

		assertThat(read(OptionalLong.empty()).attempts().get(0).outcome()).isEqualTo(Outcome.STUCK);
	}

	@Test
	void stopsAndUnexpectedEventsAreReadAsWritten() {
		this.recorder.stalled(10, 20);
		this.recorder.unexpected("a\nb");

		History read = read(OptionalLong.empty());

		assertThat(read.stops()).containsExactly(new History.Stop("c1.1", 10, 20));
		assertThat(read.unexpected()).containsExactly("c1.1 bad a b");
	}

	private History read(OptionalLong killedAt) {
		return HistoryReader.read("c1.1", this.directory.resolve("history"), killedAt);
	}

}
