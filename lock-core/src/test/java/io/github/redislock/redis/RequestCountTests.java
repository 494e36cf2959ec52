package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.Script;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Counts the requests and commands of a lock with the counters of Redis.
 */
@NeedsRedisServer
@Tag("promise-7")
class RequestCountTests {

	private static final int PAIRS = 100;

	private static final int TURNS = 20;

	private static final int CALLERS = 50;

	private static final LockOptions PATIENT = LockOptions.options().waitTime(Duration.ofMinutes(1));

	private static final String QUEUE = new String(
			new LockKeys("distributed_lock:").of(LockTarget.of("job"), LockKeys.QUEUE).get(1));

	@AutoClose
	private final RedisProcess redis = RedisProcess.start();

	@ParameterizedTest
	@EnumSource(Route.class)
	void freeLockNeedsTwoRequestsAndAtMostTwelveCommands(Route route) {
		try (RedisLockTemplate locks = new RedisLockTemplate(route.over(this.redis.connectionFactory()))) {
			warmUp(locks);

			for (int pair = 0; pair < PAIRS; pair++) {
				LockHandle lock = locks.acquire(LockTarget.of("free-" + pair));
				lock.close();
			}

			Map<String, Long> counts = counts(PAIRS + " pairs, " + route);
			long released = counts.getOrDefault("delex", 0L) + counts.getOrDefault("delifeq", 0L);
			assertThat(counts.get("evalsha") + released).isEqualTo(2L * PAIRS);
			assertThat(counts).doesNotContainKeys("eval", "ping", "script", "hello", "client", "publish", "subscribe");
			long commands = counts.values().stream().mapToLong(Long::longValue).sum();
			assertThat(commands).isLessThanOrEqualTo(((route == Route.OWN_CONNECTION) ? 7L : 12L) * PAIRS);
		}
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void renewalsAreSentInBatchesOfTwoHundred(Route route) {
		try (RedisLockStore store = RedisLockStore.create(route.over(this.redis.connectionFactory()),
				RedisLockStoreOptions.defaults().commandTimeout(Duration.ofSeconds(20)))) {
			List<RenewRequest> renewals = IntStream.rangeClosed(1, 450)
				.mapToObj((number) -> new RenewRequest(LockTarget.of("job-" + number), "me", Duration.ofMinutes(1)))
				.toList();
			replies(store, renewals);

			long before = this.redis.commandCounts().get("evalsha");
			List<Boolean> replies = replies(store, renewals);

			assertThat(this.redis.commandCounts().get("evalsha") - before).isEqualTo(3);
			assertThat(replies).hasSize(450).containsOnly(false);
		}
	}

	private static List<Boolean> replies(RedisLockStore store, List<RenewRequest> renewals) {
		return store.renew(renewals).stream().map((reply) -> reply.toCompletableFuture().join()).toList();
	}

	@Test
	void mostHandOversToAnotherInstanceNeedTwoRequestsAndOneMessage() {
		try (RedisLockTemplate one = new RedisLockTemplate(this.redis.connectionFactory());
				RedisLockTemplate other = new RedisLockTemplate(this.redis.connectionFactory())) {
			warmUp(one, other);
			LockHandle held = one.acquire(LockTarget.of("job"), PATIENT);
			List<Map<String, Long>> counts = new ArrayList<>();

			for (int turn = 0; turn < TURNS; turn++) {
				RedisLockTemplate next = (turn % 2 == 0) ? other : one;
				CompletableFuture<LockHandle> waiting = CompletableFuture
					.supplyAsync(() -> next.acquire(LockTarget.of("job"), PATIENT), OwnThread::run);
				awaitTold();
				held.close();
				held = waiting.orTimeout(30, TimeUnit.SECONDS).join();
				counts.add(counts("turn"));
				this.redis.command("CONFIG", "RESETSTAT");
			}
			held.close();

			// In the other turns, the machine may have stalled, and a waiter sends a
			// request once a second.
			assertThat(counts.stream().filter((turn) -> turn.get("evalsha") == 2 && turn.get("publish") == 1).count())
				.isGreaterThan(TURNS / 2);
			assertThat(counts).allSatisfy((turn) -> assertThat(turn.get("evalsha")).isGreaterThanOrEqualTo(2));
		}
	}

	@Test
	void manyCallersOfAnInstanceCountAsOneWaiter() {
		try (RedisLockTemplate one = new RedisLockTemplate(this.redis.connectionFactory());
				RedisLockTemplate other = new RedisLockTemplate(this.redis.connectionFactory())) {
			warmUp(one, other);
			LockHandle held = one.acquire(LockTarget.of("job"), PATIENT);
			List<Thread> callers = IntStream.range(0, CALLERS)
				.mapToObj((number) -> new Thread(() -> other.acquire(LockTarget.of("job"), PATIENT).close()))
				.toList();

			callers.forEach(Thread::start);
			Awaitility.await("all wait")
				.atMost(Duration.ofSeconds(30))
				.until(() -> callers.stream().allMatch(RequestCountTests::isWaiting));
			awaitTold();
			assertThat(one.inspect(LockTarget.of("job")).orElseThrow().waiters()).isEqualTo(1);
			long begin = System.nanoTime();
			held.close();
			Awaitility.await("all had their turn")
				.atMost(Duration.ofSeconds(30))
				.until(() -> callers.stream().noneMatch(Thread::isAlive));

			Map<String, Long> counts = counts(CALLERS + " callers");
			assertThat(counts.get("publish")).isEqualTo(1);
			// A few requests, and one more for each turn that ends at its time limit.
			long slices = Duration.ofNanos(System.nanoTime() - begin).toMillis() / 20;
			assertThat(counts.get("evalsha")).isLessThan(CALLERS / 3 + slices);
		}
	}

	private void warmUp(RedisLockTemplate... templates) {
		for (RedisLockTemplate locks : templates) {
			locks.acquire(LockTarget.of("warm-up"), PATIENT).close();
		}
		Instances.await("subscribed")
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.noneMatch((thread) -> thread.getName().equals("redis-lock-connect")));
		for (Script script : LockScript.ALL) {
			this.redis.command("SCRIPT", "LOAD", new String(script.bytes()));
		}
		this.redis.command("CONFIG", "RESETSTAT");
	}

	/**
	 * Wait until a waiter exists that will be sent a message.
	 */
	private void awaitTold() {
		Awaitility.await("somebody waits")
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.atMost(Duration.ofSeconds(30))
			// The score of a waiter that polls ends with half a microsecond.
			.until(() -> String.valueOf(this.redis.command("ZRANGE", QUEUE, "0", "-1", "WITHSCORES"))
				.matches(".*:inbox:.* \\d+([.]25?)?]"));
	}

	private static boolean isWaiting(Thread thread) {
		return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
	}

	private Map<String, Long> counts(String what) {
		Map<String, Long> counts = this.redis.commandCounts();
		counts.keySet().removeIf((name) -> name.startsWith("config") || name.equals("info"));
		System.out.println("[request count] " + what + ": " + counts);
		return counts;
	}

}
