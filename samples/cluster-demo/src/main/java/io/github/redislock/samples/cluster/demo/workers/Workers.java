package io.github.redislock.samples.cluster.demo.workers;

import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;

import io.github.redislock.samples.cluster.demo.DemoProperties;
import io.github.redislock.samples.cluster.demo.timeline.Timeline;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * All workers. They start once the demonstration accepts connections, and are killed when
 * it shuts down.
 */
@Component
public class Workers implements SmartLifecycle {

	private final List<SupervisedWorker> workers;

	private volatile boolean running;

	Workers(DemoProperties properties, WorkerCommand command, Timeline timeline, JsonMapper json) {
		this.workers = IntStream.rangeClosed(1, properties.workers())
			.mapToObj((number) -> new SupervisedWorker("worker-" + number, command, timeline, properties, json))
			.toList();
	}

	@Override
	public void start() {
		this.running = true;
		this.workers.forEach(SupervisedWorker::start);
	}

	@Override
	public void stop() {
		this.running = false;
		this.workers.forEach(SupervisedWorker::end);
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	public List<String> names() {
		return this.workers.stream().map(SupervisedWorker::name).toList();
	}

	/**
	 * Make a worker hang past its lease.
	 * @throws NoSuchElementException if no worker has that name
	 */
	public void hang(String name) {
		worker(name).hang();
	}

	/**
	 * Kill the process of a worker, which is then restarted.
	 * @throws NoSuchElementException if no worker has that name
	 */
	public void kill(String name) {
		worker(name).kill();
	}

	private SupervisedWorker worker(String name) {
		return this.workers.stream().filter((worker) -> worker.name().equals(name)).findFirst().orElseThrow();
	}

}
