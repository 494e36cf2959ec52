package io.github.redislock.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisCluster;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.SentinelGroup;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Threads in three processes increment a counter protected only by the lock, while its
 * master is replaced.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-1")
@Tag("promise-per-deployment")
@Tag("thorough")
class ExclusionAcrossFailoversTests {

	private static final int PROCESSES = 3;

	private static final int THREADS = 8;

	private static final int INCREMENTS = 500;

	private static final long ALL = PROCESSES * THREADS * INCREMENTS;

	private static final String KEY = FaultyNetwork.key("counter");

	@TempDir
	private Path directory;

	@Test
	void noIncrementIsLostWithSentinelAcrossACrashAndAPlannedFailover() throws Exception {
		try (SentinelGroup group = SentinelGroup.start();
				IncrementRace race = start("sentinel", group.sentinels(), group.replicas().size())) {
			race.awaitCounter(ALL / 4);
			RedisProcess master = group.master();
			master.kill();
			group.awaitMasterOtherThan(master);
			master.restart();
			group.awaitHealthy();
			race.awaitCounter(ALL / 2);
			assertThat(race.counter()).as("counter before the second failover").isLessThan(ALL);
			group.failOver();

			assertComplete(race);
		}
	}

	@Test
	void noIncrementIsLostInAClusterAcrossACrashAndAPlannedFailover() throws Exception {
		try (RedisCluster cluster = RedisCluster.start(); IncrementRace race = start("cluster", cluster.nodes(), 1)) {
			race.awaitCounter(ALL / 4);
			RedisProcess master = cluster.nodeOf(KEY);
			RedisProcess replica = cluster.replicaOf(master);
			master.kill();
			cluster.awaitMaster(replica);
			master.restart();
			cluster.awaitHealthy();
			race.awaitCounter(ALL / 2);
			assertThat(race.counter()).as("counter before the second failover").isLessThan(ALL);
			cluster.failOver(cluster.nodeOf(KEY));

			assertComplete(race);
		}
	}

	@Test
	void noIncrementIsLostInAClusterDuringPlannedFailovers() throws Exception {
		try (RedisCluster cluster = RedisCluster.start(); IncrementRace race = start("cluster", cluster.nodes(), 0)) {
			race.awaitCounter(ALL / 4);
			cluster.failOver(cluster.nodeOf(KEY));
			cluster.awaitHealthy();
			race.awaitCounter(ALL / 2);
			assertThat(race.counter()).as("counter before the second failover").isLessThan(ALL);
			cluster.failOver(cluster.nodeOf(KEY));

			assertComplete(race);
		}
	}

	private IncrementRace start(String kind, List<RedisProcess> servers, int acks) throws Exception {
		String ports = servers.stream()
			.map((server) -> Integer.toString(server.port()))
			.collect(Collectors.joining(","));
		IncrementRace race = new IncrementRace(this.directory, kind, ports, Integer.toString(acks));
		for (int process = 0; process < PROCESSES; process++) {
			race.start(THREADS, INCREMENTS);
		}
		return race;
	}

	private static void assertComplete(IncrementRace race) throws Exception {
		long begin = System.nanoTime();
		race.awaitEnd();
		System.out.println("[exclusion] ended " + Duration.ofNanos(System.nanoTime() - begin).toMillis()
				+ " ms after the last failover");
		assertThat(race.counter()).isEqualTo(ALL);
		List<Long> tokens = race.tokens();
		assertThat(tokens).hasSize((int) ALL);
		for (int hold = 1; hold < tokens.size(); hold++) {
			assertThat(tokens.get(hold)).as("token of hold %d", hold).isGreaterThan(tokens.get(hold - 1));
		}
	}

}
