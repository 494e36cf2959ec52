package io.github.redislock.internal.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import io.github.redislock.testing.LettuceClients;
import io.github.redislock.testing.OwnThread;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.util.RedisInputStream;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A server without data, whose replies a test defines in Redis's protocol. By default,
 * each script returns 1, and each other command returns OK.
 */
final class RespServer implements AutoCloseable {

	static final String SILENCE = "";

	/** The request for the topology of a Cluster. */
	static final String NODES = "CLUSTER NODES";

	private final ServerSocket listener;

	private final Set<Socket> clients = ConcurrentHashMap.newKeySet();

	private final List<String> requests = new CopyOnWriteArrayList<>();

	/** The replies to requests that begin with a text, the last defined first. */
	private final Deque<Map.Entry<String, String>> replies = new ConcurrentLinkedDeque<>();

	RespServer() {
		try {
			this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		reply("", "+OK");
		reply("EVAL", "*0");
		reply("EVALSHA", ":1");
		acceptLogins();
		OwnThread.run(this::accept);
	}

	int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * Define the reply to all later requests that begin with a text.
	 */
	void reply(String begin, String reply) {
		this.replies.addFirst(Map.entry(begin, reply));
	}

	void acceptLogins() {
		reply("HELLO", "-ERR unknown command 'HELLO'");
	}

	/**
	 * Reply as a node of a Cluster.
	 * @param masters the slots of the masters by port
	 */
	void replyAsCluster(Map<Integer, String> masters) {
		reply("CLUSTER MYID", "+%040d".formatted(port()));
		String nodes = masters.entrySet()
			.stream()
			.map((master) -> "%1$040d 127.0.0.1:%1$d@%1$d %2$smaster - 0 0 1 connected %3$s\n"
				.formatted(master.getKey(), (master.getKey() == port()) ? "myself," : "", master.getValue()))
			.collect(Collectors.joining());
		reply(NODES, "$%d\r\n%s".formatted(nodes.length(), nodes));
	}

	/**
	 * Return an application's connection factory that is not started.
	 */
	LettuceConnectionFactory application() {
		boolean clustered = this.replies.stream().anyMatch((defined) -> defined.getKey().equals(NODES));
		return clustered ? new LettuceConnectionFactory(new RedisClusterConfiguration(List.of("127.0.0.1:" + port())),
				LettuceClients.DEFAULTS) : LettuceClients.factory(port());
	}

	/**
	 * Return how many requests began with a text.
	 */
	long count(String begin) {
		return this.requests.stream().filter((request) -> request.startsWith(begin)).count();
	}

	/**
	 * Return how many connections were opened. Each begins with this request.
	 */
	long opened() {
		return count("HELLO");
	}

	int open() {
		return this.clients.size();
	}

	/**
	 * Send a late reply or a message on all connections.
	 */
	void send(String text) {
		this.clients.forEach((client) -> write(client, text));
	}

	/**
	 * End all connections.
	 */
	void cut() {
		this.clients.forEach(RespServer::close);
	}

	@Override
	public void close() {
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		cut();
	}

	private void accept() {
		try {
			while (true) {
				Socket client = this.listener.accept();
				this.clients.add(client);
				OwnThread.run(() -> serve(client));
			}
		}
		catch (IOException ex) {
			// The test is over.
		}
	}

	private void serve(Socket client) {
		try {
			RedisInputStream input = new RedisInputStream(client.getInputStream());
			while (true) {
				String request = String.join(" ", BuilderFactory.STRING_LIST.build(Protocol.read(input)));
				this.requests.add(request);
				String reply = this.replies.stream()
					.filter((defined) -> request.startsWith(defined.getKey()))
					.findFirst()
					.orElseThrow()
					.getValue();
				if (!reply.equals(SILENCE)) {
					write(client, reply);
				}
			}
		}
		catch (IOException | JedisConnectionException ex) {
			// The connection has ended.
		}
		finally {
			this.clients.remove(client);
			close(client);
		}
	}

	private static void write(Socket client, String text) {
		try {
			client.getOutputStream().write((text + "\r\n").getBytes(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new JedisConnectionException(ex);
		}
	}

	private static void close(Socket client) {
		try {
			client.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
