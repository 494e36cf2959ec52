package io.github.redislock.redis;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

import io.github.redislock.internal.redis.RedisErrors;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.DecoderException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The causes are those of Lettuce when each error was produced against a real socket,
 * except where noted.
 */
class RedisErrorsTests {

	private static final String CLOSED_AT_ONCE = "Redis closed the connection immediately: check"
			+ " spring.data.redis.password and ssl, and maxclients of Redis";

	private static final String UNREACHABLE = "Redis cannot be reached: check spring.data.redis.* and whether it is up";

	@ParameterizedTest
	@MethodSource
	void connectionClosedRightAfterConnectingIsReportedAsSuch(Throwable cause) {
		assertThat(describe(notConnected(cause))).isEqualTo(CLOSED_AT_ONCE);
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
	void failedConnectionIsReportedAsUnreachable(Throwable cause) {
		assertThat(describe(notConnected(cause))).isEqualTo(UNREACHABLE);
	}

	static Stream<Throwable> failedConnectionIsReportedAsUnreachable() {
		return Stream.of(
				annotated(new ConnectException("Connection refused: /127.0.0.1:6379"),
						new ConnectException("Connection refused")),
				new NoRouteToHostException("No route to host: /127.0.0.1:6379"),
				new SocketException("Network is unreachable: /127.0.0.1:6379"),
				new UnknownHostException("Failed to resolve 'redis.invalid' [A(1), AAAA(28)] after 2 queries"),
				new ConnectTimeoutException("connection timed out after 500 ms: /127.0.0.1:6379"),
				new ConnectException("finishConnect(..) failed with error(-111): Connection refused: /127.0.0.1:6379"));
	}

	/** Only the text contains the causes of the nodes. */
	@Test
	void clusterThatClosesEachConnectionIsReported() {
		assertThat(describe(
				clusterOf("Unable to connect to [127.0.0.1/<unresolved>:6379]: Connection closed prematurely")))
			.isEqualTo(CLOSED_AT_ONCE);
		assertThat(describe(clusterOf("io.netty.channel.StacklessClosedChannelException"))).isEqualTo(CLOSED_AT_ONCE);
		assertThat(describe(clusterOf("Connection refused: /127.0.0.1:6379"))).isEqualTo(UNREACHABLE);
	}

	/** The request may have been executed. */
	@Test
	void connectionThatEndsWhileInUseIsReportedAsBroken() {
		assertThat(describe(new RedisSystemException("Redis exception", new SocketException("Connection reset"))))
			.isEqualTo("the connection to Redis broke (Connection reset)");
	}

	/** The first text is from Redis 8, and the second one from a serverless service. */
	@ParameterizedTest
	@ValueSource(strings = { "ERR Command 'mget' in script attempted to access keys that don't hash to the same slot",
			"ERR Script attempted to access keys that do not hash to the same slot" })
	void scriptErrorForKeysInSeveralSlotsIsExplained(String reply) {
		assertThat(describe(new RedisSystemException("Error in execution", new RedisCommandExecutionException(reply))))
			.isEqualTo("the keys of the lock lie in different slots of the cluster");
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

	private static Throwable clusterOf(String node) {
		return new RedisConnectionFailureException("Unable to connect to Redis",
				new RedisException("Cannot obtain initial Redis Cluster topology",
						new RedisException("Cannot retrieve cluster partitions from [redis://127.0.0.1:6379?timeout=2s]"
								+ "\n\nDetails:\n\t[redis://127.0.0.1:6379?timeout=2s]: " + node + "\n")));
	}

}
