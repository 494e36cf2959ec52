package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.LockOptions;
import io.github.redislock.engine.LockConfiguration;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The configuration properties for locks.
 */
@ConfigurationProperties("redis-lock")
public class RedisLockProperties {

	private static final Duration LONGEST_QUARANTINE = Duration.ofDays(1);

	private static final Duration LEAST_GRACE = Duration.ofMillis(100);

	/**
	 * Whether locks are enabled. If not, locked methods run unlocked, with a warning, and
	 * there is no template to inject: for tests only.
	 */
	private boolean enabled = true;

	/**
	 * Where locks are kept. In memory, they exclude only threads of the same process, for
	 * tests and development.
	 */
	private Store store = Store.REDIS;

	/**
	 * Name of the RedisConnectionFactory bean to use. Needed only if there are several
	 * and none is primary.
	 */
	private @Nullable String connectionFactory;

	/**
	 * Prefix of a lock's name in its Redis key. Applications that share locks need the
	 * same prefix. Other applications on the same Redis need a different one.
	 */
	private String keyPrefix = "distributed_lock:";

	/**
	 * Lease of a lock. If its holder dies, the lock becomes free when this time and the
	 * grace are over. Renewed while the lock is held. At least 10ms.
	 */
	private Duration timeout = Duration.ofSeconds(30);

	/**
	 * How long to wait for a lock that is not free, in multiples of the retry delay.
	 */
	private int retry = 3;

	/**
	 * Pause between two requests when waiting callers poll, and after an error.
	 * Multiplied by the number of retries, it is the default waiting time. At least 1ms.
	 */
	private Duration retryDelay = Duration.ofMillis(100);

	/**
	 * Total time to wait for a lock, or 'forever'. If not set, or if a method or call
	 * sets its own retries, this is retries times retry delay.
	 */
	private @Nullable Duration waitTime;

	/**
	 * Time between two renewals of a held lock, from 100ms to half of the lease. If not
	 * set, or too long for a lock, a third of its lease.
	 */
	private @Nullable Duration renewEvery;

	/**
	 * How long renewals may keep a lock, so that a holder that hangs loses it. Unlimited
	 * if not set.
	 */
	private @Nullable Duration maxHold;

	/**
	 * How long a lock may be held before one warning is logged, with the place where it
	 * was acquired. No warning if 0.
	 */
	private Duration warnAfter = Duration.ofMinutes(1);

	/**
	 * How long to wait at shutdown for work that still holds a lock. Then the lock is
	 * released and its holder notified. At most 1h. If not set,
	 * spring.lifecycle.timeout-per-shutdown-phase applies.
	 */
	private @Nullable Duration closeWait;

	/**
	 * When a lock that several instances wait for passes to the next one.
	 */
	private final HandOver handOver = new HandOver();

	/**
	 * Name of this instance as the holder of a lock. If not set, it consists of the
	 * application's name, the host (from HOSTNAME or COMPUTERNAME) and the process id.
	 */
	private @Nullable String instanceId;

	/**
	 * How long to wait for a reply from Redis. For a short lease, it is a sixth of the
	 * lease, but at least 100ms.
	 */
	private Duration commandTimeout = Duration.ofSeconds(2);

	/**
	 * How much longer than its lease Redis keeps a lock that was not released, in case
	 * its clock steps. If not set, a twentieth of the lease, at least 100ms.
	 */
	private @Nullable Duration grace;

	/**
	 * How locks and transactions work together.
	 */
	private final Transaction transaction = new Transaction();

	/**
	 * What to do if Redis is configured so that it may lose locks: log a warning, fail at
	 * startup, or do not check. With 'fail', startup waits up to 10s.
	 */
	private Checks checks = Checks.WARN;

	/**
	 * How long a Redis server that has lost its data grants no locks. Set the longest
	 * lease plus its grace. Off by default, except in a quorum. Not for Cluster.
	 */
	private @Nullable Duration coldStartQuarantine;

	/**
	 * Independent Redis servers of which a majority decides.
	 */
	private final Quorum quorum = new Quorum();

	/**
	 * Leadership of one instance.
	 */
	private final Leadership leadership = new Leadership();

	/**
	 * Acknowledgement of locks by the replicas of Redis.
	 */
	private final Replication replication = new Replication();

	/**
	 * Order of the lock among other advice on the same method. Advice with a smaller
	 * order runs outside. By default, it is outside transactions and caches, and inside
	 * asynchronous execution.
	 */
	private int order = 2147483547;

	/**
	 * Return how long a server that has lost its data grants no locks.
	 */
	Duration quarantine() {
		if (this.coldStartQuarantine != null) {
			return this.coldStartQuarantine;
		}
		if (!this.quorum.isWanted()) {
			return Duration.ZERO;
		}
		Duration lease = this.timeout.plus((this.grace != null) ? this.grace : defaultGrace());
		return (lease.compareTo(LONGEST_QUARANTINE) < 0) ? lease : LONGEST_QUARANTINE;
	}

	private Duration defaultGrace() {
		Duration twentieth = this.timeout.dividedBy(20);
		return (twentieth.compareTo(LEAST_GRACE) < 0) ? LEAST_GRACE : twentieth;
	}

	/**
	 * Return the default options of locks.
	 */
	LockOptions options() {
		LockOptions options = LockOptions.options().timeout(this.timeout).retry(this.retry).retryDelay(this.retryDelay);
		if (this.maxHold != null) {
			options = options.maxHold(this.maxHold);
		}
		if (this.renewEvery != null) {
			options = options.renewEvery(this.renewEvery);
		}
		return (this.waitTime != null) ? options.waitTime(this.waitTime) : options;
	}

	public boolean isEnabled() {
		return this.enabled;
	}

	public void setEnabled(boolean enabled) {
		this.enabled = enabled;
	}

	public Store getStore() {
		return this.store;
	}

	public void setStore(Store store) {
		this.store = store;
	}

	public @Nullable String getConnectionFactory() {
		return this.connectionFactory;
	}

	public void setConnectionFactory(@Nullable String connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	public String getKeyPrefix() {
		return this.keyPrefix;
	}

	public void setKeyPrefix(String keyPrefix) {
		this.keyPrefix = keyPrefix;
	}

	public Duration getTimeout() {
		return this.timeout;
	}

	public void setTimeout(Duration timeout) {
		LockOptions.options().timeout(timeout);
		this.timeout = timeout;
	}

	public int getRetry() {
		return this.retry;
	}

	public void setRetry(int retry) {
		LockOptions.options().retry(retry);
		this.retry = retry;
	}

	public Duration getRetryDelay() {
		return this.retryDelay;
	}

	public void setRetryDelay(Duration retryDelay) {
		LockOptions.options().retryDelay(retryDelay);
		this.retryDelay = retryDelay;
	}

	public @Nullable Duration getWaitTime() {
		return this.waitTime;
	}

	public void setWaitTime(@Nullable Duration waitTime) {
		if (waitTime != null) {
			LockOptions.options().waitTime(waitTime);
		}
		this.waitTime = waitTime;
	}

	public @Nullable Duration getRenewEvery() {
		return this.renewEvery;
	}

	public void setRenewEvery(@Nullable Duration renewEvery) {
		if (renewEvery != null) {
			LockOptions.options().renewEvery(renewEvery);
		}
		this.renewEvery = renewEvery;
	}

	public @Nullable Duration getMaxHold() {
		return this.maxHold;
	}

	public void setMaxHold(@Nullable Duration maxHold) {
		if (maxHold != null) {
			LockOptions.options().maxHold(maxHold);
		}
		this.maxHold = maxHold;
	}

	public Duration getWarnAfter() {
		return this.warnAfter;
	}

	public void setWarnAfter(Duration warnAfter) {
		LockConfiguration.defaults().warnAfter(warnAfter);
		this.warnAfter = warnAfter;
	}

	public @Nullable Duration getCloseWait() {
		return this.closeWait;
	}

	public void setCloseWait(@Nullable Duration closeWait) {
		if (closeWait != null) {
			LockConfiguration.defaults().closeWait(closeWait);
		}
		this.closeWait = closeWait;
	}

	public HandOver getHandOver() {
		return this.handOver;
	}

	public @Nullable String getInstanceId() {
		return this.instanceId;
	}

	public void setInstanceId(@Nullable String instanceId) {
		if (instanceId != null) {
			LockConfiguration.defaults().instance(instanceId);
		}
		this.instanceId = instanceId;
	}

	public Duration getCommandTimeout() {
		return this.commandTimeout;
	}

	public void setCommandTimeout(Duration commandTimeout) {
		// Checked here, because the class of the options for Redis may be missing from
		// the class path.
		if (commandTimeout.toMillis() < 1) {
			throw new IllegalArgumentException(
					"command-timeout must be at least 1ms but is %dns".formatted(commandTimeout.toNanos()));
		}
		this.commandTimeout = commandTimeout;
	}

	public @Nullable Duration getGrace() {
		return this.grace;
	}

	public void setGrace(@Nullable Duration grace) {
		LockConfiguration.defaults().grace(grace);
		this.grace = grace;
	}

	public Transaction getTransaction() {
		return this.transaction;
	}

	public Checks getChecks() {
		return this.checks;
	}

	public void setChecks(Checks checks) {
		this.checks = checks;
	}

	public @Nullable Duration getColdStartQuarantine() {
		return this.coldStartQuarantine;
	}

	public void setColdStartQuarantine(@Nullable Duration coldStartQuarantine) {
		if (coldStartQuarantine != null
				&& (coldStartQuarantine.isNegative() || coldStartQuarantine.compareTo(LONGEST_QUARANTINE) > 0)) {
			throw new IllegalArgumentException(
					"cold-start-quarantine must be at least 0s and at most 1d but is " + coldStartQuarantine);
		}
		this.coldStartQuarantine = coldStartQuarantine;
	}

	public Quorum getQuorum() {
		return this.quorum;
	}

	public Leadership getLeadership() {
		return this.leadership;
	}

	public Replication getReplication() {
		return this.replication;
	}

	public int getOrder() {
		return this.order;
	}

	public void setOrder(int order) {
		this.order = order;
	}

	/**
	 * When a lock that several instances wait for passes to the next one.
	 */
	public static class HandOver {

		/**
		 * How long a lock may pass from caller to caller within this instance before it
		 * passes to the next instance that waits. If 0, each release passes the lock
		 * there.
		 */
		private Duration slice = Duration.ofMillis(20);

		public Duration getSlice() {
			return this.slice;
		}

		public void setSlice(Duration slice) {
			LockConfiguration.defaults().slice(slice);
			this.slice = slice;
		}

	}

	/**
	 * How locks and transactions work together.
	 */
	public static class Transaction {

		/**
		 * Whether a transaction is rolled back if a lock that it runs under is lost
		 * before the commit.
		 */
		private boolean commitGuard = true;

		public boolean isCommitGuard() {
			return this.commitGuard;
		}

		public void setCommitGuard(boolean commitGuard) {
			this.commitGuard = commitGuard;
		}

	}

	/**
	 * Roles, each of which one instance has at a time.
	 */
	public static class Leadership {

		/**
		 * Roles by name, each with 'enabled', 'timeout', 'resign-when-out-of-service' and
		 * 'leader-only'.
		 */
		private final Map<String, Role> roles = new LinkedHashMap<>();

		public Map<String, Role> getRoles() {
			return this.roles;
		}

		Role role(String name) {
			return this.roles.getOrDefault(name, new Role());
		}

	}

	/**
	 * A role that one instance has at a time.
	 */
	public static class Role {

		/**
		 * Whether this instance may lead.
		 */
		private boolean enabled = true;

		/**
		 * Lease of the leader: after a leader has died, there is no leader for that long.
		 * If not set, the lease of locks applies.
		 */
		private @Nullable Duration timeout;

		/**
		 * Whether this instance may lead only while it is ready to accept traffic.
		 */
		private boolean resignWhenOutOfService;

		/**
		 * Names of beans, or ids of listener containers, that run only on the leader.
		 * They must not start by themselves.
		 */
		private List<String> leaderOnly = new ArrayList<>();

		public boolean isEnabled() {
			return this.enabled;
		}

		public void setEnabled(boolean enabled) {
			this.enabled = enabled;
		}

		public @Nullable Duration getTimeout() {
			return this.timeout;
		}

		public void setTimeout(@Nullable Duration timeout) {
			if (timeout != null) {
				LockOptions.options().timeout(timeout);
			}
			this.timeout = timeout;
		}

		public boolean isResignWhenOutOfService() {
			return this.resignWhenOutOfService;
		}

		public void setResignWhenOutOfService(boolean resignWhenOutOfService) {
			this.resignWhenOutOfService = resignWhenOutOfService;
		}

		public List<String> getLeaderOnly() {
			return this.leaderOnly;
		}

		public void setLeaderOnly(List<String> leaderOnly) {
			this.leaderOnly = leaderOnly;
		}

	}

	/**
	 * Acknowledgement of locks by the replicas of Redis.
	 */
	public static class Replication {

		/**
		 * Number of replicas that must acknowledge a lock before it counts as acquired or
		 * renewed, so that it survives a failover. In a Redis Cluster, this needs
		 * Lettuce.
		 */
		private int minAcks = 0;

		public int getMinAcks() {
			return this.minAcks;
		}

		public void setMinAcks(int minAcks) {
			if (minAcks < 0 || minAcks > 100) {
				throw new IllegalArgumentException("min-acks must be at least 0 and at most 100 but is " + minAcks);
			}
			this.minAcks = minAcks;
		}

	}

	/**
	 * Independent Redis servers of which a majority decides.
	 */
	public static class Quorum {

		/**
		 * Addresses of the servers, an odd number of at least 3, each as
		 * redis://[user:password@]host[:port][/database], or rediss:// with TLS. Used
		 * instead of spring.data.redis. Needs the module lock-quorum.
		 */
		private List<String> nodes = new ArrayList<>();

		/**
		 * How long to wait for a reply from one server. Replaces the command timeout.
		 */
		private Duration nodeTimeout = Duration.ofSeconds(1);

		boolean isWanted() {
			return !this.nodes.isEmpty();
		}

		public List<String> getNodes() {
			return this.nodes;
		}

		public void setNodes(List<String> nodes) {
			this.nodes = nodes;
		}

		public Duration getNodeTimeout() {
			return this.nodeTimeout;
		}

		public void setNodeTimeout(Duration nodeTimeout) {
			if (nodeTimeout.toMillis() < 1 || nodeTimeout.compareTo(Duration.ofHours(1)) > 0) {
				throw new IllegalArgumentException(
						"node-timeout must be at least 1ms and at most 1h but is " + nodeTimeout);
			}
			this.nodeTimeout = nodeTimeout;
		}

	}

	/**
	 * What to do if Redis is configured so that it may lose locks.
	 */
	public enum Checks {

		/**
		 * Check in the background, and log a warning.
		 */
		WARN,

		/**
		 * Check at startup, and fail startup if there is a problem.
		 */
		FAIL,

		/**
		 * Do not check.
		 */
		OFF

	}

	/**
	 * Where locks are kept.
	 */
	public enum Store {

		/**
		 * In Redis, so that locks exclude one another in all processes that share it.
		 */
		REDIS,

		/**
		 * In this process only.
		 */
		IN_MEMORY

	}

}
