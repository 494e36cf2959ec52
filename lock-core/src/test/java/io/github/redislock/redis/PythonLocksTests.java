package io.github.redislock.redis;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.redis.Instances.Served;
import io.github.redislock.testing.CodeBlock;
import io.github.redislock.testing.NeedsPython;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.PythonProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Services in Python use the same lock key as our instances, with the locks of redis-py
 * and with hand-written ones that use {@code SET NX EX} and two scripts.
 */
@NeedsRedisServer
@NeedsPython
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PythonLocksTests {

	private static final Path PAGE = Path.of("..", "docs", "migrating", "from-redis-py.md");

	private static final LockOptions ONCE = LockOptions.options().retry(0);

	private static final Duration RETRY_DELAY = Duration.ofMillis(100);

	private static final LockOptions PATIENT = Instances.PATIENT.retryDelay(RETRY_DELAY);

	private static final int ROUNDS = 9;

	private Instances instances;

	private RedisLockTemplate locks;

	private PythonProcess redisPy;

	private PythonProcess own;

	private int names;

	@BeforeAll
	void start() {
		this.instances = new Instances();
		this.locks = this.instances.start();
		this.redisPy = PythonProcess.start("redis-py", this.instances.redis.port());
		this.own = PythonProcess.start("own", this.instances.redis.port());
	}

	@AfterAll
	void stop() {
		this.redisPy.close();
		this.own.close();
		this.instances.close();
	}

	@Test
	void documentedPythonCodeRuns() throws IOException {
		List<CodeBlock> blocks = CodeBlock.in(PAGE, "python");
		LockOptions shared = LockOptions.options().timeout(Duration.ofSeconds(10)).autoRenew(false).owner("job-17");
		LockHandle lock = this.locks.acquire(LockTarget.of("job:17"), shared);

		assertThat(blocks).hasSize(2);
		PythonProcess.run("order = 42\nwrite = print\n" + blocks.get(0).text(), this.instances.redis.port());
		assertThat(this.locks.isLocked(LockTarget.of("order:42"))).isFalse();
		PythonProcess.run(blocks.get(1).text(), this.instances.redis.port());
		assertThat(this.locks.inspect(LockTarget.of("job:17"))).hasValueSatisfying(
				(state) -> assertThat(state.freeIn()).as("renewed").isGreaterThan(Duration.ofSeconds(15)));
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis-py", "own" })
	void lockHeldByPythonIsRefusedUntilItsRelease(String kind) {
		PythonProcess python = python(kind);
		String name = held(python, "60");

		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.locks.acquire(LockTarget.of(name), ONCE))
			.satisfies((refused) -> assertThat(refused.getHolder()).extracting(LockState::holder)
				.isEqualTo("another client"));
		assertThat(this.locks.inspect(LockTarget.of(name)))
			.hasValueSatisfying((state) -> assertThat(state.owner()).isEqualTo(python.ask("token", name)));

		assertThat(python.ask("release", name)).isEqualTo("released");
		this.locks.acquire(LockTarget.of(name), ONCE).close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis-py", "own" })
	void ourLockIsRefusedToPythonUntilItsRelease(String kind) {
		PythonProcess python = python(kind);
		String name = newName();
		python.ask("create", name, "60");

		try (LockHandle lock = this.locks.acquire(LockTarget.of(name))) {
			assertThat(python.ask("acquire", name, "0")).isEqualTo("refused");
			assertThat(python.ask("acquire", name, "0.1")).isEqualTo("refused");
			assertThat(python.ask("locked", name)).isEqualTo("True");
			assertThat(python.ask("owned", name)).isEqualTo("False");
			assertThat(python.ask("release", name)).isNotEqualTo("released");
			assertThat(lock.verify()).isTrue();
		}

		assertThat(python.ask("locked", name)).isEqualTo("False");
		assertThat(python.ask("acquire", name, "0")).isEqualTo("acquired");
		assertThat(python.ask("release", name)).isEqualTo("released");
	}

	/**
	 * Python releases without a message. The next request of a waiter comes within
	 * {@code retryDelay} if the wait has just begun; otherwise it would take up to a
	 * second.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "redis-py", "own" })
	void waiterGetsTheLockSoonAfterPythonsRelease(String kind) {
		PythonProcess python = python(kind);
		List<Duration> delays = new ArrayList<>();
		for (int round = 0; round < ROUNDS; round++) {
			String name = held(python, "60");
			CompletableFuture<Served> waiter = this.instances.queue(this.locks, name, PATIENT);

			long begin = System.nanoTime();
			assertThat(python.ask("release", name)).isEqualTo("released");

			Served served = Instances.get(waiter);
			delays.add(served.since(begin));
			served.lock().close();
		}

		System.out.println("[measured] served after a release by Python (" + kind + "): " + sorted(delays));
		assertThat(thirdShortest(delays)).isLessThan(RETRY_DELAY.multipliedBy(4));
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis-py", "own" })
	void pythonGetsTheLockAfterOurRelease(String kind) {
		PythonProcess python = python(kind);
		List<Duration> delays = new ArrayList<>();
		for (int round = 0; round < ROUNDS; round++) {
			String name = newName();
			python.ask("create", name, "60");
			LockHandle lock = this.locks.acquire(LockTarget.of(name));
			python.order("acquire", name, "60");

			long begin = System.nanoTime();
			lock.close();

			assertThat(python.reply()).isEqualTo("acquired");
			delays.add(Duration.ofNanos(System.nanoTime() - begin));
			assertThat(python.ask("owned", name)).isEqualTo("True");
			assertThat(python.ask("release", name)).isEqualTo("released");
		}

		System.out.println("[measured] Python (" + kind + ") served after our release: " + sorted(delays));
		assertThat(thirdShortest(delays)).isLessThan(Duration.ofMillis(500));
	}

	@ParameterizedTest
	@ValueSource(strings = { "redis-py", "own" })
	void lockDeletedAndTakenByPythonIsLost(String kind) {
		PythonProcess python = python(kind);
		String name = newName();
		python.ask("create", name, "60");
		LockHandle lock = this.locks.acquire(LockTarget.of(name));
		this.redisPy.ask("delete", name);
		assertThat(python.ask("acquire", name, "0")).isEqualTo("acquired");

		assertThat(lock.verify()).isFalse();

		assertThat(lock.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		assertThat(python.ask("owned", name)).isEqualTo("True");
		assertThat(python.ask("release", name)).isEqualTo("released");
	}

	@Test
	void waiterKeepsWaitingWhenPythonExtendsItsLock() {
		long begin = System.nanoTime();
		String extended = held(this.redisPy, "5");
		String replaced = held(this.redisPy, "5");
		String reacquired = held(this.redisPy, "5");
		String own = held(this.own, "5");
		List<String> names = List.of(reacquired, extended, replaced, own);
		List<CompletableFuture<Served>> waiters = names.stream()
			.map((name) -> this.instances.queue(this.locks, name, PATIENT))
			.toList();

		assertThat(this.redisPy.ask("extend", extended, "60")).isEqualTo("extended");
		assertThat(this.redisPy.ask("extend", replaced, "60", "replace")).isEqualTo("extended");
		assertThat(this.own.ask("extend", own, "60")).isEqualTo("extended");
		Instances.work(Duration.ofMillis(2_500));
		assertThat(this.redisPy.ask("reacquire", reacquired)).isEqualTo("reacquired");
		// Later than the expiry that our waiters received first.
		Instances.work(Duration.ofNanos(begin + Duration.ofMillis(5_200).toNanos() - System.nanoTime()));

		for (int index = 0; index < names.size(); index++) {
			PythonProcess python = names.get(index).equals(own) ? this.own : this.redisPy;
			assertThat(waiters.get(index)).isNotDone();
			assertThat(python.ask("owned", names.get(index))).isEqualTo("True");
			assertThat(python.ask("release", names.get(index))).isEqualTo("released");
			Instances.get(waiters.get(index)).lock().close();
		}
	}

	/**
	 * In redis-py, {@code acquire(token=…)} is an ordinary {@code SET NX}, so it is
	 * refused. Only setting the token resumes the lock.
	 */
	@Test
	void redisPyResumesOurLockByItsToken() {
		String name = newName();
		this.redisPy.ask("create", name, "60");
		LockHandle lock = this.locks.acquire(LockTarget.of(name),
				LockOptions.options().timeout(Duration.ofSeconds(30)).owner("job-17"));
		assertThat(this.redisPy.ask("acquire", name, "0", "job-17")).isEqualTo("refused");

		this.redisPy.ask("resume", name, "job-17");

		assertThat(this.redisPy.ask("owned", name)).isEqualTo("True");
		assertThat(this.redisPy.ask("reacquire", name)).isEqualTo("reacquired");
		assertThat(lock.verify()).as("both hold it").isTrue();
		assertThat(this.redisPy.ask("release", name)).isEqualTo("released");
		assertThat(lock.verify()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
	}

	@Test
	void lockOfRedisPyIsResumedByItsToken() {
		String name = newName();
		this.redisPy.ask("create", name, "5");
		assertThat(this.redisPy.ask("acquire", name, "0", "job-18")).isEqualTo("acquired");

		try (LockHandle lock = this.locks.acquire(LockTarget.of(name),
				LockOptions.options().timeout(Duration.ofSeconds(30)).retry(0).owner("job-18"))) {
			assertThat(lock.fencingToken()).isPositive();
			assertThat(this.instances.timeToLive(name)).as("our lease").isGreaterThan(20_000);
			assertThat(this.redisPy.ask("owned", name)).isEqualTo("True");
		}

		assertThat(this.redisPy.ask("release", name)).isEqualTo("not owned");
		assertThat(this.redisPy.ask("locked", name)).isEqualTo("False");
	}

	/**
	 * Return the name of a new lock that a Python program holds.
	 */
	private String held(PythonProcess python, String seconds) {
		String name = newName();
		python.ask("create", name, seconds);
		assertThat(python.ask("acquire", name, "0")).isEqualTo("acquired");
		return name;
	}

	private PythonProcess python(String kind) {
		return kind.equals("own") ? this.own : this.redisPy;
	}

	private String newName() {
		return "python:" + ++this.names;
	}

	private static List<Long> sorted(List<Duration> delays) {
		return delays.stream().sorted().map(Duration::toMillis).toList();
	}

	/**
	 * Tolerates a machine that stalls in most rounds, but not a delay in every round.
	 */
	private static Duration thirdShortest(List<Duration> delays) {
		return delays.stream().sorted().toList().get(2);
	}

}
