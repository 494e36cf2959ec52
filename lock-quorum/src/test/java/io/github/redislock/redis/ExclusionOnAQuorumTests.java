package io.github.redislock.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.redis.quorum.QuorumLockStore;
import io.github.redislock.testing.FiveMasters;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A hundred threads in three processes increment a counter protected only by the lock.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-1")
@Tag("promise-quorum")
class ExclusionOnAQuorumTests {

	@TempDir
	private Path directory;

	@Test
	void noIncrementIsLostWhileServersAreKilled() throws Exception {
		try (FiveMasters masters = FiveMasters.start();
				IncrementRace race = new IncrementRace(Worker.class, this.directory, ports(masters))) {
			for (int threads : List.of(34, 33, 33)) {
				race.start(threads, 100);
			}
			race.awaitCounter(2_000);

			masters.first(2).forEach(RedisProcess::kill);

			race.awaitEnd();
			assertThat(race.counter()).isEqualTo(10_000);
			assertThat(race.tokens()).hasSize(10_000).isSorted().doesNotHaveDuplicates();
		}
	}

	private static String ports(FiveMasters masters) {
		return masters.nodes().stream().map((node) -> Integer.toString(node.port())).collect(Collectors.joining(","));
	}

	/**
	 * One of the processes.
	 */
	public static final class Worker {

		private Worker() {
		}

		/**
		 * Increment as often as the arguments say.
		 * @param arguments those of {@link IncrementWorker} up to the increments, and the
		 * ports of the servers
		 */
		public static void main(String[] arguments) throws Exception {
			List<LettuceConnectionFactory> nodes = Stream.of(arguments[3].split(","))
				.map((port) -> new LettuceConnectionFactory("127.0.0.1", Integer.parseInt(port)))
				.toList();
			RedisLockStoreOptions options = RedisLockStoreOptions.quorum()
				.commandTimeout(Duration.ofSeconds(5))
				.coldStartQuarantine(Duration.ZERO);
			IncrementWorker.incrementLocked(arguments, QuorumLockStore.create(nodes, options));
		}

	}

}
