package io.github.redislock.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import com.sun.net.httpserver.HttpServer;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.FaultProxy;
import io.github.redislock.testing.JedisClients;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks connect in the background when their store is created, and log once if they
 * cannot.
 */
@NeedsRedisServer
class FirstConnectionTests {

	private static final Duration MARGIN = Duration.ofSeconds(30);

	private static final LockOptions ONCE = LockOptions.options().retry(0);

	@AutoClose
	private final RedisProcess redis = RedisProcess.start();

	@ParameterizedTest
	@EnumSource(Client.class)
	void scriptsAreLoadedBeforeTheFirstCall(Client client) {
		RedisLockStoreOptions options = RedisLockStoreOptions.defaults();
		try (RedisLockTemplate locks = new RedisLockTemplate(
				RedisLockStore.create(client.connectTo(login(this.redis.port(), null)), options),
				LockConfiguration.defaults())) {
			Awaitility.await("scripts are known")
				.atMost(MARGIN)
				.until(() -> List.of(1L, 1L)
					.equals(this.redis.command("SCRIPT", "EXISTS", LockScript.ACQUIRE.sha1(),
							LockScript.FORCE_RELEASE.sha1())));

			locks.acquire(LockTarget.of("job")).close();

			Map<String, Long> counts = this.redis.commandCounts();
			long released = counts.getOrDefault("delex", 0L) + counts.getOrDefault("delifeq", 0L);
			assertThat(counts).containsEntry("evalsha", 2 - released);
			assertThat(counts.getOrDefault("eval", 0L)).as("find the server's own command").isLessThanOrEqualTo(1);
		}
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void unreachableRedisIsReportedOnceAtStartup(Client client) {
		this.redis.kill();

		assertThat(reported(client.connectTo(login(this.redis.port(), null))))
			.matches(("WARN Cannot acquire locks from Redis at '127.0.0.1:%d, database 0(, Jedis)?' yet:"
					+ " cannot connect to Redis \\(Connection refused.*\\): check spring.data.redis.\\* and"
					+ " whether it is up")
				.formatted(this.redis.port()));
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void wrongPasswordIsReportedOnceAtStartupWithoutItsValue(Client client) {
		this.redis.command("CONFIG", "SET", "requirepass", "right");
		try (LogRecorder log = LogRecorder.warningsOf("io.github.redislock");
				RedisLockTemplate locks = new RedisLockTemplate(
						client.connectTo(login(this.redis.port(), "hush-hush")))) {
			Awaitility.await("named").atMost(MARGIN).until(() -> !log.lines().isEmpty());

			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> locks.tryAcquire(LockTarget.of("job"), ONCE));

			assertThat(log.lines()).hasSize(1);
			assertThat(log.text()).contains("127.0.0.1:" + this.redis.port())
				.contains("Redis rejected the user name and password: check spring.data.redis.username and password")
				.doesNotContain("hush");
		}
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void databaseThatDoesNotExistIsReported(Client client) {
		RedisStandaloneConfiguration address = login(this.redis.port(), null);
		address.setDatabase(99);

		assertThat(reported(client.connectTo(address)))
			.contains("cannot connect to Redis (ERR DB index is out of range): check spring.data.redis.*");
	}

	@Test
	void settingsOfAClusterForASingleServerAreReported() {
		assertThat(reported(lettuce(new RedisClusterConfiguration(List.of("127.0.0.1:" + this.redis.port())))))
			.contains("cannot connect to Redis (ERR This instance has cluster support disabled): check");
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void serverThatIsNotRedisIsReported(Client client) throws IOException {
		HttpServer web = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		web.start();
		try {
			assertThat(reported(client.connectTo(login(web.getAddress().getPort(), null)))).containsPattern(
					"cannot connect to Redis \\((Invalid first byte|Unknown reply).+\\): check spring.data.redis");
		}
		finally {
			web.stop(0);
		}
	}

	@Test
	void connectionClosedBeforeItsFirstReplyIsRetried() {
		try (FaultProxy proxy = FaultProxy.before(this.redis.port());
				LogRecorder log = LogRecorder.warningsOf("io.github.redislock")) {
			CompletableFuture<@Nullable Void> cut = proxy.cutBeforeReplyTo("HELLO", FaultProxy.Cut.FIN);
			try (RedisLockTemplate locks = new RedisLockTemplate(Client.LETTUCE.connectTo(login(proxy.port(), null)))) {
				cut.join();

				locks.acquire(LockTarget.of("job")).close();

				assertThat(log.lines()).isEmpty();
			}
		}
	}

	/** The client may detect a reset earlier. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void redisThatClosesEveryConnectionIsReported(boolean reset) throws IOException {
		try (ServerSocket closing = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
				LogRecorder log = LogRecorder.warningsOf("io.github.redislock")) {
			CompletableFuture<@Nullable Void> ended = CompletableFuture
				.runAsync(() -> closeEachConnection(closing, reset), OwnThread::run);
			try (RedisLockTemplate locks = new RedisLockTemplate(
					Client.LETTUCE.connectTo(login(closing.getLocalPort(), null)))) {
				Awaitility.await("named").atMost(MARGIN).until(() -> !log.lines().isEmpty());
			}
			closing.close();
			ended.join();

			assertThat(log.lines()).singleElement()
				.asString()
				.matches(("WARN Cannot acquire locks from Redis at '127.0.0.1:%d, database 0' yet: Redis closed the"
						+ " connection immediately \\(.+\\): check spring.data.redis.password and ssl, and maxclients"
						+ " of Redis")
					.formatted(closing.getLocalPort()));
		}
	}

	private static void closeEachConnection(ServerSocket closing, boolean reset) {
		try {
			while (true) {
				try (Socket client = closing.accept()) {
					client.getInputStream().read(new byte[1_024]);
					client.setSoLinger(reset, 0);
				}
			}
		}
		catch (IOException ex) {
			// The test is over.
		}
	}

	/**
	 * On a busy machine the thread that logs in may be delayed until Redis has replied,
	 * and the network thread may be delayed before it reports the connection.
	 */
	@Test
	void firstLockIsAcquiredWithAPasswordOnABusyMachine() throws InterruptedException {
		this.redis.command("CONFIG", "SET", "requirepass", "right");
		BusyMachine busy = new BusyMachine();
		ClientResources resources = ClientResources.builder().nettyCustomizer(busy).build();
		LettuceConnectionFactory application = new LettuceConnectionFactory(login(this.redis.port(), "right"),
				LettuceClientConfiguration.builder().clientResources(resources).build());
		application.afterPropertiesSet();
		try (RedisLockTemplate locks = new RedisLockTemplate(application)) {
			locks.acquire(LockTarget.of("job"), ONCE).close();
		}
		finally {
			busy.over.countDown();
			resources.shutdown(0, 2, TimeUnit.SECONDS).await();
		}
	}

	@Test
	void closedStoreLeavesNoThreadAndNoWarning() {
		try (LogRecorder netty = LogRecorder.warningsOf("io.netty");
				LogRecorder lettuce = LogRecorder.warningsOf("io.lettuce");
				LogRecorder ours = LogRecorder.warningsOf("io.github.redislock")) {
			for (int round = 0; round < 30; round++) {
				LettuceConnectionFactory application = this.redis.connectionFactory();
				RedisLockStore store = RedisLockStore.create(application, RedisLockStoreOptions.defaults());
				if (round % 2 == 1) {
					try (RedisLockTemplate locks = new RedisLockTemplate(store, LockConfiguration.defaults())) {
						locks.acquire(LockTarget.of("job"), LockOptions.options().waitTime(MARGIN)).close();
					}
				}
				store.close();

				// A thread ends just after its executor.
				Awaitility.await("threads ended")
					.pollInterval(Duration.ofMillis(1))
					.until(() -> Thread.getAllStackTraces()
						.keySet()
						.stream()
						.noneMatch((thread) -> thread.getName().startsWith("redis-lock-client")));
			}
			// Objects left by other tests may be reported whenever memory is collected.
			assertThat(Stream.of(netty, lettuce, ours).flatMap((log) -> log.lines().stream()))
				.filteredOn((line) -> !line.contains("before it's garbage-collected"))
				.isEmpty();
		}
	}

	/**
	 * Return the only warning, whose reason a caller also gets.
	 */
	private static String reported(RedisConnectionFactory application) {
		try (LogRecorder log = LogRecorder.warningsOf("io.github.redislock");
				RedisLockTemplate locks = new RedisLockTemplate(application)) {
			Awaitility.await("reported").atMost(MARGIN).until(() -> !log.lines().isEmpty());

			String warning = log.lines().get(0);
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> locks.tryAcquire(LockTarget.of("job"), ONCE))
				.withMessageEndingWith(warning.split(" yet: ", 2)[1]);
			assertThat(log.lines()).hasSize(1);
			return warning;
		}
	}

	private static LettuceConnectionFactory lettuce(RedisConfiguration address) {
		LettuceConnectionFactory application = new LettuceConnectionFactory(address);
		application.afterPropertiesSet();
		return application;
	}

	private static RedisStandaloneConfiguration login(int port, String password) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", port);
		configuration.setPassword(password);
		return configuration;
	}

	/**
	 * Delays writers until the reply, and delays the network thread's report of the
	 * connection.
	 */
	private static final class BusyMachine implements NettyCustomizer {

		private final CountDownLatch over = new CountDownLatch(1);

		@Override
		@SuppressWarnings("deprecation")
		public void afterChannelInitialized(Channel channel) {
			Semaphore replies = new Semaphore(0);
			ChannelPipeline pipeline = channel.pipeline();
			pipeline.addFirst(new ChannelInboundHandlerAdapter() {

				@Override
				public void channelReadComplete(ChannelHandlerContext context) throws Exception {
					super.channelReadComplete(context);
					replies.release();
				}

			});
			pipeline.addBefore(pipeline.context(CommandHandler.class).name(), null, new ChannelInboundHandlerAdapter() {

				@Override
				public void channelActive(ChannelHandlerContext context) throws Exception {
					BusyMachine.this.over.await(300, TimeUnit.MILLISECONDS);
					super.channelActive(context);
				}

			});
			pipeline.addLast(new SlowWriters(channel.eventLoop(), replies), new ChannelOutboundHandlerAdapter() {

				@Override
				public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
						throws Exception {
					super.write(context, message, promise);
				}

			});
		}

	}

	/**
	 * Delays writes of other threads than the network's until a reply.
	 */
	private static final class SlowWriters extends SingleThreadEventExecutor {

		private final EventLoop network;

		private final Semaphore replies;

		SlowWriters(EventLoop network, Semaphore replies) {
			super(null, new DefaultThreadFactory("slow-writers", true), true);
			this.network = network;
			this.replies = replies;
		}

		@Override
		public void execute(Runnable task) {
			super.execute(task);
			if (!inEventLoop() && !this.network.inEventLoop()) {
				try {
					this.replies.tryAcquire(1, TimeUnit.SECONDS);
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}
		}

		@Override
		protected void run() {
			do {
				Runnable task = takeTask();
				if (task != null) {
					task.run();
				}
			}
			while (!confirmShutdown());
		}

	}

	private enum Client {

		LETTUCE(FirstConnectionTests::lettuce), JEDIS((redis) -> JedisClients.connectTo(redis, 2));

		private final Function<RedisStandaloneConfiguration, RedisConnectionFactory> factory;

		Client(Function<RedisStandaloneConfiguration, RedisConnectionFactory> factory) {
			this.factory = factory;
		}

		RedisConnectionFactory connectTo(RedisStandaloneConfiguration redis) {
			return this.factory.apply(redis);
		}

	}

}
