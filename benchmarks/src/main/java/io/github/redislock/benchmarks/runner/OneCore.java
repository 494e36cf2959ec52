package io.github.redislock.benchmarks.runner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;

import io.github.redislock.benchmarks.redis.RedisServer;

/**
 * Keeps processes on one core of the machine for a while.
 */
final class OneCore {

	private static final Path PROGRAM = Path.of("/usr/bin/taskset");

	private static final String ALLOWED = "Cpus_allowed_list:";

	private final List<Long> processes;

	private final String allCores;

	private OneCore(List<Long> processes, String allCores) {
		this.processes = processes;
		this.allCores = allCores;
	}

	/**
	 * Return whether a server and its clients can be kept on one core.
	 */
	static boolean isPossible(RedisServer server) {
		return Files.isExecutable(PROGRAM) && server.isOwnProcess();
	}

	/**
	 * Keep processes on the first core that this process may use.
	 * @param processes the IDs of the processes
	 */
	static OneCore of(LongStream processes) throws InterruptedException {
		OneCore core = new OneCore(processes.boxed().toList(), allowed());
		core.move(core.allCores.split("[,-]")[0]);
		return core;
	}

	void leave() throws InterruptedException {
		move(this.allCores);
	}

	private static String allowed() {
		try {
			return Files.readAllLines(Path.of("/proc/self/status"))
				.stream()
				.filter((line) -> line.startsWith(ALLOWED))
				.map((line) -> line.substring(ALLOWED.length()).strip())
				.findFirst()
				.orElseThrow();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void move(String cores) throws InterruptedException {
		for (Long process : this.processes) {
			try {
				Process taskset = new ProcessBuilder(PROGRAM.toString(), "-a", "-p", "-c", cores, process.toString())
					.redirectOutput(ProcessBuilder.Redirect.DISCARD)
					.redirectError(ProcessBuilder.Redirect.INHERIT)
					.start();
				if (taskset.waitFor() != 0) {
					throw new IllegalStateException("Process %d cannot be moved to core %s".formatted(process, cores));
				}
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

}
