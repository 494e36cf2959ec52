package io.github.redislock.redis.quorum;

import java.util.List;
import java.util.stream.IntStream;

import io.github.redislock.redis.RedisLockStoreOptions;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Invalid sets of nodes are refused at construction with the reason.
 */
class QuorumNodesTests {

	private static final RedisLockStoreOptions OPTIONS = RedisLockStoreOptions.quorum();

	@Test
	void fewerThanThreeNodesAreRefused() {
		refused(servers(2), OPTIONS,
				"a quorum needs at least 3 nodes but has 2: with fewer nodes, no lock survives the loss of one");
		refused(List.of(), OPTIONS, "a quorum needs at least 3 nodes but has 0");
	}

	@Test
	void evenNumberOfNodesIsRefused() {
		refused(servers(4), OPTIONS,
				"a quorum needs an odd number of nodes but has 4: like 3 nodes, it tolerates the loss of only 1");
	}

	@Test
	void serverNamedTwiceIsRefused() {
		RedisStandaloneConfiguration otherDatabase = new RedisStandaloneConfiguration("a", 1);
		otherDatabase.setDatabase(3);

		refused(List.of(lettuce("a", 1), lettuce("b", 1), new LettuceConnectionFactory(otherDatabase)), OPTIONS,
				"node 3 of the quorum, a:1, is listed twice: it would have two votes");
		refused(List.of(lettuce("a", 1), lettuce("b", 1), jedis("a", 1)), OPTIONS, "node 3 of the quorum, a:1,");
	}

	@Test
	void serverUnderTwoNamesIsRefused() {
		refused(List.of(lettuce("localhost", 1), lettuce("127.0.0.1", 2), lettuce("127.0.0.1", 1)), OPTIONS,
				"node 3 of the quorum, 127.0.0.1:1, is the same server as localhost:1: it would have two votes");
		refused(List.of(lettuce("127.0.0.1", 1), jedis("localhost", 1), lettuce("127.0.0.1", 2)), OPTIONS,
				"node 2 of the quorum, localhost:1, is the same server as 127.0.0.1:1");
	}

	@Test
	void serversAtOneAddressAreAcceptedIfTheirNamesDifferWithTls() {
		List<LettuceConnectionFactory> nodes = List.of(encrypted("localhost"), encrypted("127.0.0.1"),
				lettuce("127.0.0.1", 2));

		assertThatNoException().isThrownBy(() -> QuorumLockStore.create(nodes, OPTIONS).close());
	}

	@Test
	void clusterIsRefusedAsANode() {
		RedisConnectionFactory cluster = new LettuceConnectionFactory(new RedisClusterConfiguration(List.of("c:1")));

		refused(List.of(lettuce("a", 1), cluster, lettuce("b", 1)), OPTIONS,
				"node 2 of the quorum is a Redis Cluster: each node has to be a single server");
	}

	@Test
	void sentinelGroupIsRefusedAsANode() {
		RedisSentinelConfiguration sentinel = new RedisSentinelConfiguration().master("m").sentinel("s", 1);

		refused(List.of(new LettuceConnectionFactory(sentinel), lettuce("a", 1), lettuce("b", 1)), OPTIONS,
				"node 1 of the quorum is watched by Sentinel: each node has to be a server that no replica replaces");
		refused(List.of(lettuce("a", 1), lettuce("b", 1), new JedisConnectionFactory(sentinel)), OPTIONS,
				"node 3 of the quorum is watched by Sentinel");
	}

	@Test
	void replicaAcknowledgementsAreRefused() {
		refused(servers(3), OPTIONS.minAcks(1), "redis-lock.replication.min-acks does not work with a quorum");
	}

	@Test
	void interruptOfALookUpIsKept() {
		Thread.currentThread().interrupt();

		HostNames.resolve(List.of("localhost"));

		assertThat(Thread.interrupted()).isTrue();
	}

	private static void refused(List<? extends RedisConnectionFactory> nodes, RedisLockStoreOptions options,
			String reason) {
		assertThatIllegalArgumentException().isThrownBy(() -> QuorumLockStore.create(nodes, options))
			.withMessageStartingWith(reason);
	}

	private static List<LettuceConnectionFactory> servers(int count) {
		return IntStream.rangeClosed(1, count).mapToObj((port) -> lettuce("a", port)).toList();
	}

	private static LettuceConnectionFactory lettuce(String host, int port) {
		return new LettuceConnectionFactory(new RedisStandaloneConfiguration(host, port));
	}

	private static LettuceConnectionFactory encrypted(String host) {
		return new LettuceConnectionFactory(new RedisStandaloneConfiguration(host, 1),
				LettuceClientConfiguration.builder().useSsl().build());
	}

	private static JedisConnectionFactory jedis(String host, int port) {
		return new JedisConnectionFactory(new RedisStandaloneConfiguration(host, port));
	}

}
