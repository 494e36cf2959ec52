package io.github.redislock.autoconfigure;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

import io.github.redislock.testing.JavaProcess;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.Signals;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application is restarted within its JVM, as by Spring Boot's development tools.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-10")
@Tag("thorough")
class RestartTests {

	@Test
	@Timeout(180)
	void restartReleasesLocksAndLeavesNothingOfTheOldApplication() throws IOException {
		ProcessBuilder builder = JavaProcess.of(Restarts.class);
		List<Integer> locksAfterEach = new ArrayList<>();
		List<String> output = new ArrayList<>();
		try (RedisProcess redis = RedisProcess.start()) {
			builder.command().add(Integer.toString(redis.port()));
			builder.command().add(1, "-XX:SoftRefLRUPolicyMSPerMB=0");
			Process jvm = Signals.start(builder);
			try (BufferedReader lines = new BufferedReader(new InputStreamReader(jvm.getInputStream()))) {
				for (String line = lines.readLine(); line != null; line = lines.readLine()) {
					output.add(line);
					if (line.equals("ended")) {
						locksAfterEach.add(((List<?>) redis.command("KEYS", "distributed_lock:*")).size());
						jvm.getOutputStream().write('\n');
						jvm.getOutputStream().flush();
					}
				}
			}
			finally {
				jvm.destroyForcibly();
			}
		}

		String all = String.join("\n", output);
		assertThat(locksAfterEach).as(all).hasSize(Restarts.TIMES).containsOnly(0);
		assertThat(output).contains("class loaders left: 0", "threads left: []",
				"threads that remember an application: []");
		assertThat(all).doesNotContain("\tat ");
	}

}
