package io.github.redislock.benchmarks.runner;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.github.redislock.benchmarks.contender.Contender;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class CommandTests {

	@Test
	void casesContendersAndPaceCanBeSelected() {
		Command command = Command.parse("case", "hot-jvm", "--contenders", "ours,limit", "--seconds", "3");

		Case chosen = command.choose(Cases.all()).get(0);
		assertThat(command.choose(Cases.all())).hasSize(1);
		assertThat(chosen.name()).isEqualTo("hot-jvm");
		assertThat(command.selection().of(chosen)).extracting(Contender::name)
			.containsExactly("local", "raw-gated", "raw-queue-16", "ours");
		assertThat(command.pace().window()).isEqualTo(Duration.ofSeconds(3));
	}

	@Test
	void smokeRunMeasuresOurLocksButNotRedisson() {
		Command command = Command.parse("smoke");

		for (Case each : command.choose(Cases.all())) {
			assertThat(command.selection().of(each)).extracting(Contender::name)
				.contains("ours")
				.doesNotContain("redisson");
		}
	}

	@Test
	void newestServersOfAFolderAreUsed(@TempDir Path folder) throws Exception {
		for (String name : List.of("redis-6.2", "redis-8.6", "redis-8.10", "valkey-9.1", "valkey-8.1")) {
			Files.createFile(folder.resolve(name));
		}
		Command command = Command.parse("full", "--servers", folder + "," + folder.resolve("redis-6.2"));
		assertThat(command.servers()).extracting((server) -> server.getFileName().toString())
			.containsExactly("redis-8.10", "valkey-9.1", "redis-6.2");
	}

}
