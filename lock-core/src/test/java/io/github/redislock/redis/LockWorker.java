package io.github.redislock.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.LettuceClients;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A process that acquires locks on orders, one per line:
 * {@code <lock> <lease-ms> <hold-ms> [<owner token>]}, with a lease of 0 for one without
 * end. A lock is {@code job}, {@code job/read} for reading, or {@code job/3} for one of
 * three permits. Prints {@code ready}, {@code acquired <lock> <token>},
 * {@code lost <lock>} and {@code released <lock> <outcome>}. On the order
 * {@value #CHECK}, it prints whether the latest lock is held.
 */
public final class LockWorker {

	static final String CHECK = "held?";

	private static volatile @Nullable LockHandle latest;

	private LockWorker() {
	}

	public static void main(String[] arguments) throws IOException {
		LettuceConnectionFactory application = LettuceClients.factory(Integer.parseInt(arguments[0]));
		application.afterPropertiesSet();
		application.start();
		RedisLockTemplate locks = new RedisLockTemplate(application);
		locks.acquire(LockTarget.of("warm-up"), Instances.PATIENT).close();
		say("ready");
		BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String order = orders.readLine(); order != null; order = orders.readLine()) {
			String[] words = order.split(" ");
			LockHandle lock = latest;
			if (order.equals(CHECK)) {
				say("held " + (lock != null && lock.isHeld()));
			}
			else {
				new Thread(() -> hold(locks, words)).start();
			}
		}
		// The parent process has ended.
		Runtime.getRuntime().halt(0);
	}

	private static void hold(RedisLockTemplate locks, String... words) {
		LockHandle lock = locks.acquire(target(words[0]), options(words));
		lock.onLost(() -> say("lost " + words[0]));
		latest = lock;
		say("acquired " + words[0] + " " + lock.fencingToken());
		Instances.work(Duration.ofMillis(Long.parseLong(words[2])));
		say("released " + words[0] + " " + lock.release());
	}

	private static LockTarget target(String word) {
		String[] nameAndKind = word.split("/");
		LockTarget target = LockTarget.of(nameAndKind[0]);
		if (nameAndKind.length == 1) {
			return target;
		}
		return nameAndKind[1].equals("read") ? target.forReading() : target.permits(Integer.parseInt(nameAndKind[1]));
	}

	private static LockOptions options(String... words) {
		LockOptions patient = LockOptions.options().waitTime(Duration.ofMinutes(2));
		LockOptions owned = (words.length > 3) ? patient.owner(words[3]) : patient;
		long lease = Long.parseLong(words[1]);
		return (lease > 0) ? owned.timeout(Duration.ofMillis(lease)) : owned.neverExpires();
	}

	private static synchronized void say(String line) {
		System.out.println(line);
	}

}
