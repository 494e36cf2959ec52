package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.ValueOperations;

/**
 * A process in which each thread acquires one set of locks repeatedly. Increments a
 * counter in Redis each time: reads, adds one, writes back, protected only by the locks.
 */
public final class SeveralLocksWorker {

	private final RedisLockTemplate locks;

	private final ValueOperations<String, String> values;

	private SeveralLocksWorker(RedisLockTemplate locks, ValueOperations<String, String> values) {
		this.locks = locks;
		this.values = values;
	}

	/**
	 * Run.
	 * @param arguments port, lease in ms, rounds, then for each thread the names of its
	 * locks, separated by commas
	 */
	public static void main(String[] arguments) throws Exception {
		int port = Integer.parseInt(arguments[0]);
		Duration lease = Duration.ofMillis(Long.parseLong(arguments[1]));
		int rounds = Integer.parseInt(arguments[2]);
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port));
		application.afterPropertiesSet();
		application.start();
		try (RedisLockTemplate locks = new RedisLockTemplate(application)) {
			SeveralLocksWorker worker = new SeveralLocksWorker(locks,
					new StringRedisTemplate(application).opsForValue());
			locks.acquire(LockTarget.of("warm-up")).close();
			System.out.println("ready");
			System.in.read();
			long begin = System.nanoTime();
			List<FutureTask<Void>> tasks = new ArrayList<>();
			for (String names : Arrays.asList(arguments).subList(3, arguments.length)) {
				tasks.add(new FutureTask<>(() -> worker.work(names, lease, rounds), null));
			}
			tasks.forEach((task) -> new Thread(task).start());
			for (FutureTask<Void> task : tasks) {
				task.get();
			}
			System.out.println("done in " + Duration.ofNanos(System.nanoTime() - begin).toMillis() + " ms");
		}
		application.destroy();
	}

	private void work(String names, Duration lease, int rounds) {
		LockTarget target = LockTarget.allOf(Arrays.stream(names.split(",")).map(LockTarget::of).toList());
		LockOptions options = LockOptions.options().timeout(lease).waitTime(Duration.ofMinutes(1));
		String process = Long.toString(ProcessHandle.current().pid());
		for (int round = 0; round < rounds; round++) {
			try (LockHandle lock = this.locks.acquire(target, options)) {
				increment("counter:" + names.chars().sorted().mapToObj(Character::toString).toList());
			}
			this.values.increment("progress:" + process + ":" + names);
		}
	}

	private void increment(String counter) {
		long before = Long.parseLong(Objects.requireNonNullElse(this.values.get(counter), "0"));
		this.values.set(counter, Long.toString(before + 1));
	}

}
