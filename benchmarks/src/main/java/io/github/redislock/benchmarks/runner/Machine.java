package io.github.redislock.benchmarks.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.redislock.benchmarks.contender.ClientSettings;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.contender.LockClient;
import io.github.redislock.benchmarks.redis.RedisConsole;
import io.github.redislock.benchmarks.report.Figure;
import io.github.redislock.benchmarks.report.Report;
import io.github.redislock.benchmarks.stats.Histogram;
import org.redisson.api.RedissonClient;

import org.springframework.core.SpringVersion;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;

/**
 * Describes the machine of a measurement.
 */
final class Machine {

	private static final int PINGS = 300;

	private Machine() {
	}

	static Map<String, String> describe(Bench bench, String command) {
		Map<String, String> facts = new LinkedHashMap<>();
		facts.put("date", OffsetDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS).toString());
		facts.put("command", command);
		facts.put("processor", Runtime.getRuntime().availableProcessors() + " × " + processor());
		facts.put("system",
				System.getProperty("os.name") + " " + System.getProperty("os.version").replaceFirst("-.*", ""));
		facts.put("java", System.getProperty("java.vm.vendor") + " " + System.getProperty("java.runtime.version"));
		facts.put(Report.SERVER, bench.console().version());
		facts.put("round trip", roundTrip(bench.console()));
		try (RedisConsole slow = bench.slow().console()) {
			facts.put("round trip, slow network", roundTrip(slow));
		}
		facts.put("free pairs, raw Lettuce", rate(bench, Contenders.RAW));
		facts.put("free pairs, Redisson", rate(bench, Contenders.REDISSON));
		facts.put("spring",
				SpringVersion.getVersion() + ", Spring Data Redis " + version(RedisConnectionFactory.class));
		facts.put("redisson", version(RedissonClient.class));
		facts.put("spring-integration", version(RedisLockRegistry.class));
		return facts;
	}

	/**
	 * Return the median round-trip time of the shortest request.
	 */
	private static String roundTrip(RedisConsole console) {
		Histogram pings = new Histogram();
		for (int ping = -PINGS; ping < PINGS; ping++) {
			long begin = System.nanoTime();
			console.ping();
			if (ping >= 0) {
				pings.add(System.nanoTime() - begin);
			}
		}
		return "%s µs".formatted(Figure.plain(pings.percentile(0.5) / TimeUnit.MICROSECONDS.toNanos(1)));
	}

	/**
	 * Return how many times per second one thread of this process acquires and releases a
	 * lock. With the round trip, this shows whether the machine is slow.
	 */
	private static String rate(Bench bench, String contender) {
		long window = bench.pace().window().toNanos();
		try (LockClient client = Contenders.named(contender).open(bench.direct(ClientSettings.USUAL_LEASE, false))) {
			long pairs = 0;
			long begin = System.nanoTime() + bench.pace().warmUp().toNanos();
			while (System.nanoTime() < begin + window) {
				pairs += (System.nanoTime() >= begin) ? 1 : 0;
				client.acquire("rate").release();
			}
			return "%s/s".formatted(Figure.plain((double) pairs * TimeUnit.SECONDS.toNanos(1) / window));
		}
	}

	private static String processor() {
		try {
			return Files.readAllLines(Path.of("/proc/cpuinfo"))
				.stream()
				.filter((line) -> line.startsWith("model name"))
				.map((line) -> line.substring(line.indexOf(':') + 1).strip())
				.findFirst()
				.orElse(System.getProperty("os.arch"));
		}
		catch (IOException ex) {
			return System.getProperty("os.arch");
		}
	}

	private static String version(Class<?> type) {
		String version = type.getPackage().getImplementationVersion();
		return (version != null) ? version : "?";
	}

}
