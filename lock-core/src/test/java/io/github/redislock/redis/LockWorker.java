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
 * A process that acquires locks on orders, one per line:
 * {@code <name> <lease-ms> <hold-ms> [<owner token>]}, with a lease of 0 for one without
 * end. Prints {@code ready}, {@code acquired <name> <token>} and
 * {@code released <name> <outcome>}.
 */
public final class LockWorker {

	private LockWorker() {
	}

	public static void main(String[] arguments) throws IOException {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", Integer.parseInt(arguments[0])));
		application.afterPropertiesSet();
		application.start();
		RedisLockTemplate locks = new RedisLockTemplate(application);
		locks.acquire(LockTarget.of("warm-up"), Instances.PATIENT).close();
		say("ready");
		BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String order = orders.readLine(); order != null; order = orders.readLine()) {
			String[] words = order.split(" ");
			new Thread(() -> hold(locks, words[0], options(words), Duration.ofMillis(Long.parseLong(words[2]))))
				.start();
		}
		// The parent process has ended.
		Runtime.getRuntime().halt(0);
	}

	private static LockOptions options(String... words) {
		LockOptions patient = LockOptions.options().waitTime(Duration.ofMinutes(2));
		LockOptions owned = (words.length > 3) ? patient.owner(words[3]) : patient;
		long lease = Long.parseLong(words[1]);
		return (lease > 0) ? owned.timeout(Duration.ofMillis(lease)) : owned.neverExpires();
	}

	private static void hold(RedisLockTemplate locks, String name, LockOptions options, Duration length) {
		LockHandle lock = locks.acquire(LockTarget.of(name), options);
		say("acquired " + name + " " + lock.fencingToken());
		Instances.work(length);
		say("released " + name + " " + lock.release());
	}

	private static synchronized void say(String line) {
		System.out.println(line);
	}

}
