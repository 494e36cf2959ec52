package io.github.redislock.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A process that holds the lock {@code job} with a given lease in milliseconds, and
 * replies to each line with {@code held true} or {@code held false}. Prints
 * {@code acquired}, and {@code lost} when it is notified.
 */
public final class SuspendedHolder {

	private SuspendedHolder() {
	}

	public static void main(String[] arguments) throws IOException {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", Integer.parseInt(arguments[0])));
		application.afterPropertiesSet();
		application.start();
		RedisLockTemplate locks = new RedisLockTemplate(application);
		LockHandle lock = locks.acquire(LockTarget.of("job"),
				LockOptions.options()
					.timeout(Duration.ofMillis(Long.parseLong(arguments[1])))
					.waitTime(Duration.ofMinutes(1)));
		lock.onLost(() -> System.out.println("lost"));
		System.out.println("held " + lock.isHeld());
		System.out.println("acquired");
		BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		while (orders.readLine() != null) {
			System.out.println("held now " + lock.isHeld());
		}
		// The parent process has ended.
		Runtime.getRuntime().halt(0);
	}

}
