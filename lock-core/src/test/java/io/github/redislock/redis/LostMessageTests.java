package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.github.redislock.LockHandle;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.Instances.Served;
import io.github.redislock.testing.FaultProxy;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static io.github.redislock.redis.Instances.PATIENT;
import static io.github.redislock.redis.Instances.get;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Redis hands a lock over, but the message about it does not arrive.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-7")
class LostMessageTests {

	/** Long enough for a busy machine, but shorter than a lease. */
	private static final Duration ROOM = Duration.ofSeconds(5);

	/** The time between two requests of a waiter. */
	private static final Duration HEARTBEAT = Duration.ofSeconds(1);

	private Instances instances;

	@BeforeEach
	void start() {
		this.instances = new Instances();
	}

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Test
	void waitersFindTheLockByPollingWhenNoMessageArrives() {
		LockHandle held = this.instances.start().acquire(LockTarget.of("job"), PATIENT);
		FaultProxy proxy = this.instances.proxy();
		List<CompletableFuture<Served>> waiters = List.of(
				this.instances.queue(this.instances.start(proxy.port()), "job", PATIENT),
				this.instances.queue(this.instances.start(proxy.port()), "job", PATIENT));
		this.instances.awaitTold("job");
		proxy.holdMessages();

		long released = System.nanoTime();
		held.close();
		Served first = get(waiters.get(0).applyToEither(waiters.get(1), Function.identity()));
		long releasedAgain = System.nanoTime();
		first.lock().close();
		Served second = get(waiters.get(0)).equals(first) ? get(waiters.get(1)) : get(waiters.get(0));
		second.lock().close();

		assertThat(first.since(released)).isLessThan(HEARTBEAT.plus(ROOM));
		assertThat(second.since(releasedAgain)).isLessThan(HEARTBEAT.plus(ROOM));
		assertThat(second.lock().fencingToken()).isGreaterThan(first.lock().fencingToken());
		this.instances.requireNoLoss();
	}

	@ParameterizedTest
	@ValueSource(strings = { "allchannels -subscribe", "resetchannels" })
	void waitersWithoutSubscribePermissionPoll(String rule) {
		String[] user = ("ACL SETUSER locks on >secret ~* +@all " + rule).split(" ");
		this.instances.redis.command(user);
		LockHandle held = startRestricted().acquire(LockTarget.of("job"), PATIENT);
		List<CompletableFuture<Served>> waiters = List.of(this.instances.queue(startRestricted(), "job", PATIENT),
				this.instances.queue(startRestricted(), "job", PATIENT));

		long released = System.nanoTime();
		held.close();
		Served first = get(waiters.get(0));
		first.lock().close();
		Served second = get(waiters.get(1));
		second.lock().close();

		// Each polls every 250 ms.
		assertThat(second.since(released)).isLessThan(Duration.ofMillis(2 * 275).plus(ROOM));
		assertThat(second.lock().fencingToken()).isGreaterThan(first.lock().fencingToken());
		this.instances.requireNoLoss();
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void waiterAndHolderAreEachSubscribedOnce(Route route) {
		LockHandle held = this.instances.start().acquire(LockTarget.of("job"), PATIENT);
		this.instances.queue(startOver(route), "job", PATIENT);
		this.instances.awaitTold("job");

		// The holder is subscribed too, and both receive messages to all instances.
		Instances.await("subscriptions of both, and no more").during(Duration.ofMillis(500)).untilAsserted(() -> {
			assertThat((List<?>) this.instances.redis.command("PUBSUB", "CHANNELS", "*inbox*")).hasSize(3);
			assertThat((List<?>) this.instances.redis.command("PUBSUB", "NUMSUB", "distributed_lock:inbox:all")).last()
				.isEqualTo(2L);
		});
		held.close();
	}

	private RedisLockTemplate startOver(Route route) {
		return this.instances.start(route.over(this.instances.redis.connectionFactory()));
	}

	private RedisLockTemplate startRestricted() {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1",
				this.instances.redis.port());
		configuration.setUsername("locks");
		configuration.setPassword("secret");
		return this.instances
			.start(this.instances.redis.connectionFactory(new LettuceConnectionFactory(configuration)));
	}

}
