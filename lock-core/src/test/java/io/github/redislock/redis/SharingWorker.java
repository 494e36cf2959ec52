package io.github.redislock.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A process whose threads share one lock, to read and write or by permits, until the
 * first line of input. Prints a violation as a line that begins with {@code VIOLATION}.
 */
public final class SharingWorker {

	static final String NAME = "shared";

	static final int PERMITS = 3;

	static final Duration LEASE = Duration.ofSeconds(2);

	static final Duration READING = Duration.ofMillis(200);

	private static final Duration WRITING = Duration.ofMillis(5);

	/** For each write, all readers must leave and come back one by one. */
	private static final Duration BETWEEN_WRITES = Duration.ofSeconds(3);

	private static final Duration WITH_PERMIT = Duration.ofMillis(30);

	private final RedisLockTemplate locks;

	private final SharingGuard guard;

	private volatile boolean stopped;

	private SharingWorker(RedisLockTemplate locks, SharingGuard guard) {
		this.locks = locks;
		this.guard = guard;
	}

	/**
	 * Work until the first line of input.
	 * @param arguments port, guard file, number of the first place, and the role of each
	 * thread: {@code read}, {@code write} or {@code permit}
	 */
	public static void main(String[] arguments) throws Exception {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", Integer.parseInt(arguments[0])));
		application.afterPropertiesSet();
		application.start();
		SharingWorker worker = new SharingWorker(new RedisLockTemplate(application),
				SharingGuard.open(Path.of(arguments[1])));
		worker.run(Integer.parseInt(arguments[2]), List.of(arguments).subList(3, arguments.length));
		worker.locks.close();
		application.destroy();
		say("done");
		System.exit(0);
	}

	private void run(int firstPlace, List<String> roles) throws Exception {
		this.locks.acquire(LockTarget.of("warm-up"), Instances.PATIENT).close();
		say("ready");
		List<Thread> threads = new ArrayList<>();
		for (int index = 0; index < roles.size(); index++) {
			int place = firstPlace + index;
			String role = roles.get(index);
			threads.add(new Thread(() -> work(place, role), role + "-" + place));
		}
		threads.forEach(Thread::start);
		awaitOrder();
		this.stopped = true;
		for (Thread thread : threads) {
			thread.join();
		}
	}

	private static void awaitOrder() throws IOException {
		new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
	}

	private void work(int place, String role) {
		try {
			while (!this.stopped) {
				switch (role) {
					case "read" -> hold(place, SharingGuard.READER, 1, LockTarget.of(NAME).forReading(), READING);
					case "permit" ->
						hold(place, SharingGuard.PERMIT, PERMITS, LockTarget.of(NAME).permits(PERMITS), WITH_PERMIT);
					default -> {
						hold(place, SharingGuard.WRITER, 1, LockTarget.of(NAME), WRITING);
						Instances.work(BETWEEN_WRITES);
					}
				}
			}
		}
		catch (Throwable ex) {
			say("VIOLATION unexpected " + ex);
		}
	}

	private void hold(int place, int role, int most, LockTarget target, Duration length) {
		long asked = System.nanoTime();
		LockHandle lock = this.locks.acquire(target,
				LockOptions.options().timeout(LEASE).waitTime(Duration.ofMinutes(1)));
		Duration waited = Duration.ofNanos(System.nanoTime() - asked);
		String violation = this.guard.hold(place, role, most, lock, waited, length);
		if (violation != null) {
			say("VIOLATION " + violation);
		}
		try {
			lock.close();
		}
		catch (LockLostException ex) {
			say("lost: " + ex.getMessage());
		}
	}

	private static synchronized void say(String line) {
		System.out.println(line);
	}

}
