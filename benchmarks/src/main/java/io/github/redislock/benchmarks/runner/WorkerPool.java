package io.github.redislock.benchmarks.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.redislock.benchmarks.contender.Contender;

/**
 * Keeps child processes from one case to the next, so that their code is compiled and
 * warm. Each process is used for one contender only, because the JIT compiler optimizes
 * for the library that ran in the process.
 */
final class WorkerPool implements AutoCloseable {

	private final Path logs;

	private final List<String> options;

	private final List<WorkerProcess> all = new ArrayList<>();

	private final Map<String, Deque<WorkerProcess>> idle = new HashMap<>();

	private final Map<String, Set<WorkerProcess>> taken = new HashMap<>();

	WorkerPool(Path logs, List<String> options) throws IOException {
		this.options = options;
		this.logs = Files.createDirectories(logs);
	}

	/**
	 * Take processes from the pool. The caller must give them back or close them.
	 */
	List<WorkerProcess> take(Contender contender, int number) {
		Deque<WorkerProcess> waiting = idle(contender);
		List<WorkerProcess> processes = new ArrayList<>();
		while (processes.size() < number) {
			processes.add(waiting.isEmpty() ? fresh() : waiting.pop());
		}
		taken(contender).addAll(processes);
		return processes;
	}

	void giveBack(Contender contender, List<WorkerProcess> processes) {
		processes.forEach(taken(contender)::remove);
		idle(contender).addAll(processes);
	}

	/**
	 * Kill the processes that a contender has not given back, because their state is
	 * unknown.
	 */
	void abandon(Contender contender) {
		taken(contender).forEach(WorkerProcess::close);
		taken(contender).clear();
	}

	/**
	 * Kill the processes that have been given back, so that the next ones are new.
	 */
	void drain() {
		this.idle.values().forEach((processes) -> processes.forEach(WorkerProcess::close));
		this.idle.clear();
	}

	/**
	 * Start a process outside the pool. The caller must close it.
	 */
	WorkerProcess fresh() {
		WorkerProcess process = WorkerProcess.start(this.logs, this.options);
		this.all.add(process);
		return process;
	}

	@Override
	public void close() {
		this.all.forEach(WorkerProcess::close);
	}

	private Deque<WorkerProcess> idle(Contender contender) {
		return this.idle.computeIfAbsent(contender.name(), (missing) -> new ArrayDeque<>());
	}

	private Set<WorkerProcess> taken(Contender contender) {
		return this.taken.computeIfAbsent(contender.name(), (missing) -> new LinkedHashSet<>());
	}

}
