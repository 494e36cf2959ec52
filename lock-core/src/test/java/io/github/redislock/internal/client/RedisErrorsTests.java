package io.github.redislock.internal.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

import io.github.redislock.LockTarget;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionSelectorException;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.DecoderException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The causes are those of Lettuce when each error was produced against a real socket,
 * except where noted.
 */
class RedisErrorsTests {

	private static final String CLOSED_AT_ONCE = "Redis closed the connection immediately (%s): check"
			+ " spring.data.redis.password and ssl, and maxclients of Redis";

	private static final String DISABLED = "ERR This instance has cluster support disabled";

	private static final String UNCONNECTED = "cannot connect to Redis (%s): check spring.data.redis.* and whether"
			+ " it is up";

	@ParameterizedTest
	@MethodSource
	void connectionClosedRightAfterConnectingIsReportedAsSuch(Throwable cause) {
		String message = cause.getMessage();
		String reason = (message != null && message.contains(" ")) ? message : cause.toString();

		assertThat(describe(notConnected(cause))).isEqualTo(CLOSED_AT_ONCE.formatted(reason));
	}

	static Stream<Throwable> connectionClosedRightAfterConnectingIsReportedAsSuch() {
		return Stream.of(new RedisConnectionException("Connection closed prematurely"),
				// The connection ended before Lettuce had initialized it.
				new IllegalStateException("RedisHandshakeHandler not registered"),
				new SocketException("Connection reset"),
				annotated(new SocketException("Connection reset by peer: /127.0.0.1:6379"),
						new SocketException("Connection reset by peer")),
				new IOException("Connection reset by peer"), new IOException("Broken pipe"),
				// Not produced here: the error of Linux for connect on a socket that is
				// already closed.
				new SocketException("Software caused connection abort: /127.0.0.1:6379"),
				// Not produced here: an error of Netty's native transports.
				new IOException("recvAddress(..) failed with error(-104): Connection reset by peer"),
				new IOException("writevAddresses(..) failed with error(-32): Broken pipe"),
				new ClosedChannelException(), new SSLException("SSLEngine closed already"),
				new SSLHandshakeException("Connection closed while SSL/TLS handshake was in progress"),
				new SSLException("not an SSL/TLS record: 2d45525220756e6b6e6f776e"),
				new DecoderException(new SSLHandshakeException("Received fatal alert: certificate_required")),
				new RedisCommandExecutionException("ERR max number of clients reached"));
	}

	@ParameterizedTest
	@MethodSource
	void failedAttemptToConnectIsReportedWithItsReason(Throwable cause) {
		assertThat(describe(notConnected(cause))).isEqualTo(UNCONNECTED.formatted(cause.getMessage()));
		assertThat(describe(new CompletionException(notConnected(cause))))
			.isEqualTo(UNCONNECTED.formatted(cause.getMessage()));
	}

	static Stream<Throwable> failedAttemptToConnectIsReportedWithItsReason() {
		return Stream.of(
				annotated(new ConnectException("Connection refused: /127.0.0.1:6379"),
						new ConnectException("Connection refused")),
				new NoRouteToHostException("No route to host: /127.0.0.1:6379"),
				new SocketException("Network is unreachable: /127.0.0.1:6379"),
				annotated(
						new UnknownHostException("Failed to resolve 'redis.invalid' [A(1), AAAA(28)] after 2 queries"),
						new IOException("Query failed with NXDOMAIN")),
				annotated(
						new SSLHandshakeException("PKIX path building failed: unable to find valid certification path"),
						new IOException("unable to find valid certification path")),
				new RedisCommandExecutionException("ERR DB index is out of range"),
				new RedisException("Invalid first byte: 60 (<) at buffer index 1 decoding using null"),
				new RedisCommandTimeoutException("Connection initialization timed out after 2 second(s)"),
				new ConnectTimeoutException("connection timed out after 500 ms: /127.0.0.1:6379"),
				new ConnectException("finishConnect(..) failed with error(-111): Connection refused: /127.0.0.1:6379"));
	}

	/** The causes of the nodes are in a text and in suppressed exceptions. */
	@Test
	void clusterThatClosesEachConnectionIsReported() {
		assertThat(describe(clusterOf(new RedisConnectionException(
				"Unable to connect to [127.0.0.1/<unresolved>:6379]: Connection closed prematurely",
				new RedisConnectionException("Connection closed prematurely")))))
			.isEqualTo(CLOSED_AT_ONCE.formatted("Connection closed prematurely"));
		assertThat(describe(clusterOf(new RedisException("io.netty.channel.StacklessClosedChannelException"))))
			.isEqualTo(CLOSED_AT_ONCE
				.formatted("io.lettuce.core.RedisException: io.netty.channel.StacklessClosedChannelException"));
	}

	@Test
	void clusterThatCannotBeReachedIsReportedWithTheReasonOfItsFirstNode() {
		assertThat(describe(clusterOf(new RedisException("Connection refused: /127.0.0.1:6379"))))
			.isEqualTo(UNCONNECTED.formatted("Connection refused: /127.0.0.1:6379"));
		assertThat(describe(clusterOf(new RedisCommandExecutionException(DISABLED))))
			.isEqualTo(UNCONNECTED.formatted(DISABLED));
	}

	@Test
	void sentinelThatIsNoneIsReportedWithItsReply() {
		RedisException cause = new RedisCommandTimeoutException(
				"Cannot obtain master using SENTINEL MASTER. Command timed out after 2 second(s)");
		cause.addSuppressed(new RedisCommandExecutionException("ERR unknown command 'SENTINEL', with args "));

		assertThat(describe(notConnected(cause)))
			.isEqualTo(UNCONNECTED.formatted("ERR unknown command 'SENTINEL', with args"));
	}

	/** These are the exceptions of Jedis. */
	@Test
	void failedAttemptOfJedisIsReportedWithItsReason() {
		JedisConnectionException refused = new JedisConnectionException("Failed to connect to 127.0.0.1:6379.");
		refused.addSuppressed(new ConnectException("Connection refused"));

		assertThat(describe(jedis(refused))).isEqualTo(UNCONNECTED.formatted("Connection refused"));
		assertThat(describe(
				jedis(new JedisConnectionException("Failed to create socket.", new UnknownHostException("elsewhere")))))
			.isEqualTo(UNCONNECTED.formatted("java.net.UnknownHostException: elsewhere"));
		assertThat(describe(jedis(new JedisDataException("ERR DB index is out of range"))))
			.isEqualTo(UNCONNECTED.formatted("ERR DB index is out of range"));
	}

	/** A broken connection would be another cause, with another remedy. */
	@Test
	void requestThatFailsOnAnOpenConnectionIsNotReportedAsBroken() {
		assertThat(describe(new RedisException(
				"Request queue size exceeded: 8. Commands are not accepted until the" + " queue size drops.")))
			.isEqualTo("not sent, because the Redis client's queue of requests is full");
		assertThat(describe(
				new PartitionSelectorException("Cannot determine a partition for slot 15714.", new Partitions())))
			.isEqualTo("Redis Cluster is down or has no node for the key");
		assertThat(
				describe(new RedisCommandExecutionException("ERR user_script:1: attempt to compare nil with number")))
			.isEqualTo("Redis replied with an error (ERR user_script:1: attempt to compare nil with number)");
		assertThat(describe(new JedisDataException("ERR something new")))
			.isEqualTo("Redis replied with an error (ERR something new)");
	}

	/** The request may have been executed. */
	@Test
	void connectionThatEndsWhileInUseIsReportedAsBroken() {
		assertThat(describe(new RedisSystemException("Redis exception", new SocketException("Connection reset"))))
			.isEqualTo("the connection to Redis broke (Connection reset)");
		assertThat(describe(new CompletionException(null, new ClosedChannelException())))
			.isEqualTo("the connection to Redis broke (java.nio.channels.ClosedChannelException)");
	}

	/** The replica may have been a master when it executed the script. */
	@Test
	void failoverDuringAWaitForAcknowledgementsIsReportedAsSuch() {
		assertThat(describe(new RedisCommandExecutionException(
				"UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)")))
			.isEqualTo("this Redis became a replica during the request");
	}

	/** The first text is from Redis 8, and the second one from a serverless service. */
	@ParameterizedTest
	@ValueSource(strings = { "ERR Command 'mget' in script attempted to access keys that don't hash to the same slot",
			"ERR Script attempted to access keys that do not hash to the same slot" })
	void scriptErrorForKeysInSeveralSlotsIsExplained(String reply) {
		assertThat(describe(new RedisSystemException("Error in execution", new RedisCommandExecutionException(reply))))
			.isEqualTo("the keys of the lock lie in different slots of the cluster");
	}

	/** These are replies of Redis 7.0. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			NOPERM this user has no permissions to run the 'eval' command | (command 'eval')
			NOPERM this user has no permissions to access one of the keys used as arguments \
			| (key 'lock:job', or another key of the same lock)
			ERR The user executing the script can't run this command or subcommand | (see ACL LOG)
			""")
	void missingPermissionIsReportedAsFarAsRedisNamesIt(String reply, String detail) {
		assertThat(RedisErrors.translate("acquire", LockTarget.of("job"), "lock:job", Duration.ofSeconds(2),
				new RedisCommandExecutionException(reply)))
			.hasMessage("Lock 'job': acquire failed: the Redis user may not do this: extend its ACL " + detail);
	}

	@Test
	void serverThatCannotServeLocksIsRecognizedByItsReply() {
		Throwable readOnly = jedis(new JedisDataException("READONLY You can't write against a read only replica."));
		Throwable noScripts = jedis(new JedisDataException("ERR unknown command 'EVAL', with args beginning with: "));
		Throwable noWait = jedis(new JedisDataException("ERR unknown command 'WAIT', with args beginning with: "));

		assertThat(Stream.of(readOnly, noScripts, noWait).filter(RedisErrors::isReadOnly)).containsExactly(readOnly);
		assertThat(Stream.of(readOnly, noScripts, noWait).filter(RedisErrors::isWithoutScripts))
			.containsExactly(noScripts);
		assertThat(Stream.of(readOnly, noScripts, noWait).filter(RedisErrors::isWithoutWait)).containsExactly(noWait);
	}

	private static String describe(Throwable failure) {
		return RedisErrors.describe(failure, Duration.ofSeconds(2));
	}

	private static Throwable notConnected(Throwable cause) {
		return new RedisConnectionFailureException("Unable to connect to Redis",
				RedisConnectionException.create("127.0.0.1/<unresolved>:6379", cause));
	}

	private static Throwable annotated(Throwable failure, Throwable cause) {
		return failure.initCause(cause);
	}

	private static Throwable jedis(Throwable cause) {
		return new RedisConnectionFailureException("Cannot get Jedis connection", cause);
	}

	private static Throwable clusterOf(RedisException node) {
		RedisException topology = new RedisException(
				"Cannot retrieve cluster partitions from [redis://127.0.0.1:6379?timeout=2s]\n\nDetails:\n"
						+ "\t[redis://127.0.0.1:6379?timeout=2s]: " + node.getMessage() + "\n");
		topology.addSuppressed(node);
		return new RedisConnectionFailureException("Unable to connect to Redis",
				new RedisException("Cannot obtain initial Redis Cluster topology", topology));
	}

}
