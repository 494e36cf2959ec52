package io.github.redislock.autoconfigure.quorum;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The address and credentials of one server of a quorum.
 *
 * @param configuration the address and credentials
 * @param tls whether to encrypt the connection
 */
record QuorumNodeAddress(RedisStandaloneConfiguration configuration, boolean tls) {

	private static final int USUAL_PORT = 6379;

	private static final String ACTION = """
			Write each node as 'redis://[user:password@]host[:port][/database]', or 'rediss://...' with TLS. \
			In the user name and password, write '@' as '%40', ':' as '%3A', '/' as '%2F' and '%' as '%25'.""";

	/**
	 * Parse an address.
	 * @param number the position in the list, counted from 1; messages show it instead of
	 * the text, which may contain a password
	 * @throws LockSetupException if the text is not a valid address
	 */
	static QuorumNodeAddress parse(String text, int number) {
		URI uri;
		try {
			uri = new URI(text.strip());
		}
		catch (URISyntaxException ex) {
			throw wrong(number, "is not an address: " + ex.getReason(), null);
		}
		if (!"redis".equals(uri.getScheme()) && !"rediss".equals(uri.getScheme())) {
			throw wrong(number, "does not begin with 'redis://' or 'rediss://'", null);
		}
		if (uri.getHost() == null) {
			throw wrong(number, "has no host", null);
		}
		if (uri.getQuery() != null || uri.getFragment() != null) {
			throw wrong(number, "has something after its database, which would be ignored", null);
		}
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(uri.getHost(),
				(uri.getPort() >= 0) ? uri.getPort() : USUAL_PORT);
		configuration.setDatabase(database(uri.getPath(), number));
		logIn(configuration, uri.getRawUserInfo());
		return new QuorumNodeAddress(configuration, "rediss".equals(uri.getScheme()));
	}

	/**
	 * Return a connection factory that is not started yet.
	 * @param timeout how long to wait for the server
	 */
	LettuceConnectionFactory connectionFactory(Duration timeout) {
		LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder()
			.commandTimeout(timeout)
			.clientOptions(ClientOptions.builder()
				.socketOptions(SocketOptions.builder().connectTimeout(timeout).build())
				.build());
		return new LettuceConnectionFactory(this.configuration, this.tls ? client.useSsl().build() : client.build());
	}

	@Override
	public String toString() {
		return this.configuration.getHostName() + ":" + this.configuration.getPort();
	}

	private static int database(@Nullable String path, int number) {
		if (path == null || path.length() <= 1) {
			return 0;
		}
		try {
			return Integer.parseUnsignedInt(path.substring(1));
		}
		catch (NumberFormatException ex) {
			throw wrong(number, "has a database that is not a valid number: '%s'".formatted(path.substring(1)), ex);
		}
	}

	private static void logIn(RedisStandaloneConfiguration configuration, @Nullable String userInfo) {
		if (userInfo == null || userInfo.isEmpty()) {
			return;
		}
		int colon = userInfo.indexOf(':');
		if (colon > 0) {
			configuration.setUsername(decode(userInfo.substring(0, colon)));
		}
		configuration.setPassword(RedisPassword.of(decode(userInfo.substring(colon + 1))));
	}

	private static String decode(String text) {
		// A plus sign is literal in a URI.
		return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
	}

	private static LockSetupException wrong(int number, String reason, @Nullable Exception cause) {
		return new LockSetupException("Node %s of 'redis-lock.quorum.nodes' %s.".formatted(number, reason), ACTION,
				cause);
	}

}
