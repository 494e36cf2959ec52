package io.github.redislock.autoconfigure;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.github.redislock.autoconfigure.RedisServerCheck.Finding;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.internal.support.DaemonThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Logs at startup where locks are kept, and checks whether Redis is configured for that.
 * The check begins after the connection factory was started and before the application
 * serves requests.
 */
final class RedisServerChecks implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(RedisServerChecks.class);

	/** Connection factories have phase 0, and higher phases start later. */
	private static final int PHASE = 50;

	private static final int LONGEST_WAIT_SECONDS = 10;

	private static final int NEXT_LOOK_SECONDS = 2;

	private static final int LONGEST_END_MILLIS = 2_000;

	private final RedisLockProperties properties;

	private final Supplier<@Nullable Servers> servers;

	private volatile @Nullable String place;

	private volatile List<Finding> findings = List.of();

	private volatile @Nullable Thread thread;

	private volatile boolean running;

	/**
	 * Create the checks.
	 * @param servers supplies what to check, or {@code null} if that is unknown or not
	 * Redis; called at startup, because it may create beans
	 */
	RedisServerChecks(RedisLockProperties properties, Supplier<@Nullable Servers> servers) {
		this.properties = properties;
		this.servers = servers;
	}

	@Override
	public void start() {
		this.running = true;
		Servers servers = this.servers.get();
		if (servers == null) {
			return;
		}
		this.place = "Redis at " + servers.address();
		switch (this.properties.checks()) {
			case WARN -> look(() -> check(servers)).thenAccept(this::warn);
			case FAIL -> requireNone(replyOf(look(() -> check(servers))));
			case OFF -> logger.info("Locks are kept in " + this.place);
		}
	}

	/**
	 * Return where locks are kept, or {@code null} if that is unknown or not Redis.
	 */
	@Nullable String place() {
		return this.place;
	}

	private @Nullable List<Finding> check(Servers servers) {
		List<Finding> found = servers.check().get();
		if (!servers.names().isEmpty()) {
			this.place = String.join(", ", servers.names()) + " at " + servers.address();
		}
		if (found != null) {
			logger.info("Locks are kept in " + this.place);
		}
		return found;
	}

	/**
	 * Return the problems that were found, or an empty list while they are unknown.
	 */
	List<Finding> findings() {
		return this.findings;
	}

	private void warn(List<Finding> found) {
		this.findings = found;
		found.forEach(
				(finding) -> logger.warn("%s %s (redis-lock.checks)".formatted(finding.problem(), finding.remedy())));
	}

	/**
	 * Run the check on a separate thread, because a client may wait for a minute. If
	 * Redis is not available, repeat the check until Redis replies or the application
	 * stops, and log the problems.
	 */
	private CompletableFuture<List<Finding>> look(Supplier<@Nullable List<Finding>> check) {
		CompletableFuture<List<Finding>> findings = new CompletableFuture<>();
		Thread thread = DaemonThreads.create("redis-lock-checks", () -> {
			try {
				List<Finding> found = check.get();
				findings.complete((found != null) ? found : List.of());
				if (found == null) {
					warn(lookAgain(check));
				}
			}
			catch (Throwable ex) {
				// Always complete the future, because another thread may be waiting for
				// it.
				logger.debug("Could not check the configuration of Redis", ex);
				findings.complete(List.of());
			}
		});
		thread.start();
		this.thread = thread;
		return findings;
	}

	private List<Finding> lookAgain(Supplier<@Nullable List<Finding>> check) {
		List<Finding> found = null;
		while (found == null) {
			LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(NEXT_LOOK_SECONDS));
			if (!this.running) {
				return List.of();
			}
			found = check.get();
		}
		logger.info("Redis was not available at startup, but replies now");
		return found;
	}

	private static List<Finding> replyOf(CompletableFuture<List<Finding>> findings) {
		try {
			return findings.get(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (TimeoutException | ExecutionException ex) {
			logger.debug("Could not check the configuration of Redis: Redis did not reply in time", ex);
		}
		return List.of();
	}

	private static void requireNone(List<Finding> findings) {
		if (!findings.isEmpty()) {
			throw new LockSetupException(lines(findings, Finding::problem), lines(findings, Finding::remedy)
					+ System.lineSeparator() + "Or set 'redis-lock.checks=warn' to start anyway.", null);
		}
	}

	private static String lines(List<Finding> findings, Function<Finding, String> text) {
		return findings.stream().map(text).collect(Collectors.joining(System.lineSeparator()));
	}

	/**
	 * Wait for a running check for up to two seconds, because the connections that it
	 * uses are closed soon after.
	 */
	@Override
	public void stop() {
		this.running = false;
		Thread checking = this.thread;
		if (checking == null) {
			return;
		}
		LockSupport.unpark(checking);
		try {
			checking.join(LONGEST_END_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		checking.interrupt();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/**
	 * The servers that keep the locks.
	 *
	 * @param address where they are, for messages
	 * @param names their names and versions, which are known after a check
	 * @param check blocks, and returns {@code null} if no server is available, unless
	 * they are a quorum
	 */
	record Servers(String address, Set<String> names, Supplier<@Nullable List<Finding>> check) {
	}

}
