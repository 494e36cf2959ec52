package io.github.redislock.autoconfigure;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Parses the addresses of a quorum's servers.
 * <p>
 * {@link io.lettuce.core.RedisURI} is not used, because it cannot parse a user name with
 * a colon, and accepts parameters that locks would ignore.
 */
final class QuorumNodeAddress {

	private static final int USUAL_PORT = 6379;

	private static final String ACTION = """
			Write each node as 'redis://[user:password@]host[:port][/database]', or 'rediss://...' with TLS. \
			In the user name and password, write '@' as '%40', ':' as '%3A', '/' as '%2F' and '%' as '%25'.""";

	private QuorumNodeAddress() {
	}

	/**
	 * Return a connection factory for an address. It is not started yet.
	 * @param number the position in the list, counted from 1; messages show it instead of
	 * the text, which may contain a password
	 * @param timeout how long to wait for the server
	 * @throws LockSetupException if the text is not a valid address
	 */
	static LettuceConnectionFactory connectionFactory(String text, int number, Duration timeout) {
		URI uri;
		try {
			uri = new URI(text.strip());
		}
		catch (URISyntaxException ex) {
			throw wrong(number, "is not an address: " + ex.getReason());
		}
		if (!"redis".equals(uri.getScheme()) && !"rediss".equals(uri.getScheme())) {
			throw wrong(number, "does not begin with 'redis://' or 'rediss://'");
		}
		if (uri.getHost() == null) {
			throw wrong(number, "has no host");
		}
		if (uri.getQuery() != null || uri.getFragment() != null) {
			throw wrong(number, "has something after its database, which would be ignored");
		}
		RedisStandaloneConfiguration server = server(uri, number);
		logIn(server, uri.getRawUserInfo());
		LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder()
			.commandTimeout(timeout)
			.clientOptions(ClientOptions.builder()
				.socketOptions(SocketOptions.builder().connectTimeout(timeout).build())
				.build());
		if ("rediss".equals(uri.getScheme())) {
			client.useSsl();
		}
		return new LettuceConnectionFactory(server, client.build());
	}

	private static RedisStandaloneConfiguration server(URI uri, int number) {
		try {
			RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(uri.getHost(),
					(uri.getPort() >= 0) ? uri.getPort() : USUAL_PORT);
			if (uri.getPath().length() > 1) {
				server.setDatabase(Integer.parseInt(uri.getPath().substring(1)));
			}
			return server;
		}
		catch (IllegalArgumentException ex) {
			// The end of a password that contains a slash looks like a database.
			throw wrong(number, "has a port or database that is not a valid number");
		}
	}

	private static void logIn(RedisStandaloneConfiguration server, @Nullable String userInfo) {
		if (userInfo == null || userInfo.isEmpty()) {
			return;
		}
		int colon = userInfo.indexOf(':');
		if (colon > 0) {
			server.setUsername(decode(userInfo.substring(0, colon)));
		}
		server.setPassword(decode(userInfo.substring(colon + 1)));
	}

	private static String decode(String text) {
		// Does not turn a plus sign into a space.
		return StringUtils.uriDecode(text, StandardCharsets.UTF_8);
	}

	private static LockSetupException wrong(int number, String reason) {
		return new LockSetupException("Node %s of 'redis-lock.quorum.nodes' %s.".formatted(number, reason), ACTION,
				null);
	}

}
