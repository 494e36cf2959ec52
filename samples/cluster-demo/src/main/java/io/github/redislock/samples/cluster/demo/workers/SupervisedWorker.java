package io.github.redislock.samples.cluster.demo.workers;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import io.github.redislock.samples.cluster.demo.DemoProperties;
import io.github.redislock.samples.cluster.demo.timeline.Timeline;
import io.github.redislock.samples.cluster.message.Kind;
import io.github.redislock.samples.cluster.message.Report;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A worker that is restarted when its process has ended. Thread-safe.
 */
final class SupervisedWorker {

	private static final Log logger = LogFactory.getLog(SupervisedWorker.class);

	private static final long MOMENT = 200;

	private final String name;

	private final WorkerCommand command;

	private final Timeline timeline;

	private final DemoProperties properties;

	private final JsonMapper json;

	private @Nullable WorkerProcess process;

	/** Whether the process has reported that it has started. */
	private boolean started;

	private boolean frozen;

	private boolean killed;

	private boolean over;

	SupervisedWorker(String name, WorkerCommand command, Timeline timeline, DemoProperties properties,
			JsonMapper json) {
		this.name = name;
		this.command = command;
		this.timeline = timeline;
		this.properties = properties;
		this.json = json;
	}

	String name() {
		return this.name;
	}

	synchronized void start() {
		if (this.over) {
			return;
		}
		WorkerProcess begun = WorkerProcess.start(this.command.of(this.name), this.name, this::hear);
		this.process = begun;
		this.started = false;
		this.frozen = false;
		this.killed = false;
		// Wait a moment, because Ctrl-C ends workers before the demonstration notices it.
		begun.onExit().thenAcceptAsync(this::ended, CompletableFuture.delayedExecutor(MOMENT, TimeUnit.MILLISECONDS));
	}

	/**
	 * Make the worker hang past its lease, unless its process is already stopped or still
	 * starts.
	 */
	synchronized void hang() {
		WorkerProcess present = this.process;
		if (present == null || !this.started || this.frozen || !present.isAlive()) {
			return;
		}
		if (!WorkerProcess.canFreeze()) {
			present.askToHang();
			return;
		}
		Duration length = this.properties.hang();
		this.frozen = true;
		this.timeline.record(Kind.FROZEN, this.name, 0,
				String.format(Locale.ROOT, "is frozen for %.1f s, without noticing it", length.toMillis() / 1e3));
		present.freeze(length).thenRun(() -> thawed(present));
	}

	synchronized void kill() {
		WorkerProcess present = this.process;
		if (present == null || !this.started || this.killed || !present.isAlive()) {
			return;
		}
		this.killed = true;
		this.timeline.record(Kind.KILLED, this.name, 0, "is killed (process %d)".formatted(present.pid()));
		present.kill();
	}

	void end() {
		WorkerProcess present;
		synchronized (this) {
			this.over = true;
			present = this.process;
		}
		if (present != null) {
			present.kill();
			present.onExit().join();
		}
	}

	private synchronized void thawed(WorkerProcess present) {
		if (this.process == present && this.frozen && present.isAlive()) {
			this.frozen = false;
			this.timeline.record(Kind.THAWED, this.name, 0, "resumes");
		}
	}

	private synchronized void ended(int exit) {
		if (this.over) {
			return;
		}
		if (!this.killed) {
			this.timeline.record(Kind.ENDED, this.name, 0, "ended by itself with exit code %d".formatted(exit));
		}
		Executor later = CompletableFuture.delayedExecutor(this.properties.restartAfter().toMillis(),
				TimeUnit.MILLISECONDS);
		later.execute(this::start);
	}

	private void hear(String line) {
		if (!line.startsWith("{")) {
			logger.warn("%-9s | %s".formatted(this.name, line));
			return;
		}
		Report report = this.json.readValue(line, Report.class);
		synchronized (this) {
			this.started = true;
		}
		this.timeline.record(report.kind(), this.name, report.token(), report.text());
	}

}
