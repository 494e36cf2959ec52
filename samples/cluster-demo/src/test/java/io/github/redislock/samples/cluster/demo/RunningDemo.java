package io.github.redislock.samples.cluster.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.github.redislock.samples.cluster.demo.redis.RedisPause;
import io.github.redislock.samples.cluster.demo.timeline.Counters;
import io.github.redislock.samples.cluster.demo.timeline.DemoEvent;
import io.github.redislock.samples.cluster.demo.timeline.Timeline;
import io.github.redislock.samples.cluster.demo.workers.Workers;
import io.github.redislock.samples.cluster.message.Kind;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The demonstration, with real processes, on a separate port.
 */
final class RunningDemo implements AutoCloseable {

	/** Busy machines start processes slowly. */
	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private static @Nullable RunningDemo shared;

	private final ConfigurableApplicationContext context;

	private RunningDemo(ConfigurableApplicationContext context) {
		this.context = context;
	}

	static RunningDemo start(String... arguments) {
		List<String> all = new ArrayList<>(List.of("--server.port=0"));
		all.addAll(List.of(arguments));
		return new RunningDemo(SpringApplication.run(ClusterDemoApplication.class, all.toArray(String[]::new)));
	}

	/**
	 * Return a demonstration where workers are killed and stopped only by tests; it ends
	 * with the JVM.
	 */
	static synchronized RunningDemo shared() {
		RunningDemo present = shared;
		if (present == null) {
			present = start("--cluster-demo.workers=3", "--cluster-demo.lease=1s", "--cluster-demo.hang-chance=0.25",
					"--cluster-demo.freeze-chance=0", "--cluster-demo.kill-chance=0");
			shared = present;
		}
		return present;
	}

	String url() {
		return "http://127.0.0.1:" + this.context.getEnvironment().getProperty("local.server.port") + "/";
	}

	Workers workers() {
		return this.context.getBean(Workers.class);
	}

	void pauseRedis() {
		this.context.getBean(RedisPause.class).begin();
	}

	Counters counters() {
		return this.context.getBean(Timeline.class).snapshot().counters();
	}

	long latest() {
		List<DemoEvent> events = this.context.getBean(Timeline.class).snapshot().events();
		return events.isEmpty() ? 0 : events.get(events.size() - 1).id();
	}

	List<DemoEvent> since(long id, Kind kind) {
		return this.context.getBean(Timeline.class)
			.snapshot()
			.events()
			.stream()
			.filter((event) -> event.id() > id && event.kind() == kind)
			.toList();
	}

	DemoEvent await(long since, Kind kind, String worker) {
		await(() -> find(since, kind, worker) != null);
		return find(since, kind, worker);
	}

	void await(BooleanSupplier condition) {
		Awaitility.await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).until(condition::getAsBoolean);
	}

	@Override
	public void close() {
		this.context.close();
	}

	private @Nullable DemoEvent find(long since, Kind kind, String worker) {
		return since(since, kind).stream().filter((event) -> event.source().equals(worker)).findFirst().orElse(null);
	}

}
