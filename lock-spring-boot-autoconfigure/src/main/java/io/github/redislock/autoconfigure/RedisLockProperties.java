package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.github.redislock.LockOptions;
import io.github.redislock.cache.LoadOnceOptions;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.LeaseLength;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The configuration properties for locks.
 *
 * @param enabled Whether locks are enabled. If not, locked methods run unlocked, with a
 * warning, and no template is created: for tests only.
 * @param store Where locks are kept. In memory, they exclude only callers in the same
 * process.
 * @param connectionFactory Name of the RedisConnectionFactory bean to use. Needed if
 * there are several and none is primary.
 * @param keyPrefix Prefix of a lock's name in its Redis key. Applications that share
 * locks must use the same prefix. Others on the same Redis should use a different one.
 * @param timeout Lease of a lock. If its holder dies, the lock becomes free after this
 * time plus the grace. By default, renewed while the lock is held. At least 10ms.
 * @param retry How long to wait for a lock that is not free, in multiples of the retry
 * delay.
 * @param retryDelay Pause between two requests when waiting callers poll, and after an
 * error. Multiplied by the number of retries, it is the default waiting time. At least
 * 1ms.
 * @param waitTime Total time to wait for a lock, or 'forever'. If not set, or if a method
 * or call sets its own retries, this is retries times retry delay.
 * @param maxWaiters How many callers of this instance may wait for one lock at the same
 * time. The next one is refused at once. If 0, no caller waits.
 * @param renewEvery Time between two renewals of a held lock, from 100ms to half of the
 * lease. If not set, or too long for a lock, a third of its lease.
 * @param maxHold How long renewals may keep a lock, so that a holder that hangs loses it.
 * Unlimited if not set.
 * @param warnAfter How long a lock may be held before one warning is logged. No warning
 * if 0.
 * @param closeWait How long to wait at shutdown for work that still holds a lock. Then
 * the lock is released and its holder notified. At most 1h. If not set,
 * spring.lifecycle.timeout-per-shutdown-phase applies.
 * @param handOver When a lock that several instances wait for passes to the next one.
 * @param instanceId Name of this instance as the holder of a lock. If not set, it
 * consists of the application's name, the host (from HOSTNAME or COMPUTERNAME) and the
 * process id.
 * @param commandTimeout How long to wait for a reply from Redis. For a short lease,
 * reduced to a sixth of the lease, but not below 100ms.
 * @param grace How much longer than its lease Redis keeps an unreleased lock, in case the
 * server's clock jumps. If not set, a twentieth of the lease, at least 100ms.
 * @param transaction How locks and transactions work together.
 * @param checks What to do if Redis is configured so that it may lose locks: log a
 * warning, fail at startup, or do not check. With 'fail', startup waits up to 10s.
 * @param coldStartQuarantine How long to wait before granting locks again after Redis has
 * lost its data. Set the longest lease plus its grace. Off by default without a quorum.
 * Not for Cluster.
 * @param quorum Independent Redis servers of which a majority decides.
 * @param leadership Leadership of one instance.
 * @param replication Acknowledgement of locks by the replicas of Redis.
 * @param cache Caches in which one caller loads a value for all instances.
 * @param order Order of the lock among other advice on the same method. Advice with a
 * smaller order runs outside. By default, it is outside transactions and caches, and
 * inside asynchronous execution.
 */
@ConfigurationProperties("redis-lock")
record RedisLockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redis") Store store,
		@Nullable String connectionFactory, @DefaultValue("distributed_lock:") String keyPrefix,
		@DefaultValue("30s") Duration timeout, @DefaultValue("3") int retry, @DefaultValue("100ms") Duration retryDelay,
		@Nullable Duration waitTime, @DefaultValue("10000") int maxWaiters, @Nullable Duration renewEvery,
		@Nullable Duration maxHold, @DefaultValue("1m") Duration warnAfter, @Nullable Duration closeWait,
		@DefaultValue HandOver handOver, @Nullable String instanceId, @DefaultValue("2s") Duration commandTimeout,
		@Nullable Duration grace, @DefaultValue Transaction transaction, @DefaultValue("warn") Checks checks,
		@Nullable Duration coldStartQuarantine, @DefaultValue Quorum quorum, @DefaultValue Leadership leadership,
		@DefaultValue Replication replication, @DefaultValue Cache cache, @DefaultValue("2147483547") int order) {

	static final Duration LONGEST_QUARANTINE = Duration.ofDays(1);

	/**
	 * Return how long a server waits before it grants locks again after it has lost its
	 * data; zero if it does not wait.
	 */
	Duration quarantine() {
		if (this.coldStartQuarantine != null) {
			return this.coldStartQuarantine;
		}
		if (!this.quorum.isWanted()) {
			return Duration.ZERO;
		}
		Duration grace = (this.grace != null) ? this.grace : LeaseLength.defaultGrace(this.timeout);
		return Durations.min(this.timeout.plus(grace), LONGEST_QUARANTINE);
	}

	LockOptions options() {
		PropertyMapper map = PropertyMapper.get();
		LockOptions options = LockOptions.options()
			.timeout(this.timeout)
			.retry(this.retry)
			.retryDelay(this.retryDelay)
			.maxWaiters(this.maxWaiters);
		options = map.from(this.maxHold).to(options, LockOptions::maxHold);
		options = map.from(this.renewEvery).to(options, LockOptions::renewEvery);
		return map.from(this.waitTime).to(options, LockOptions::waitTime);
	}

	/**
	 * When a lock that several instances wait for passes to the next one.
	 *
	 * @param slice How long a lock may pass from caller to caller within this instance
	 * before the next waiting instance gets it. If 0, that instance gets it at the next
	 * release.
	 */
	record HandOver(@DefaultValue("20ms") Duration slice) {
	}

	/**
	 * How locks and transactions work together.
	 *
	 * @param commitGuard Whether a transaction is rolled back if a lock that it runs
	 * under is lost before the commit.
	 */
	record Transaction(@DefaultValue("true") boolean commitGuard) {
	}

	/**
	 * Roles, each held by at most one instance at a time.
	 *
	 * @param roles Roles by name, each with 'enabled', 'timeout',
	 * 'resign-when-out-of-service' and 'leader-only'.
	 */
	record Leadership(@DefaultValue Map<String, Role> roles) {

		/**
		 * Return the settings of a role, or the defaults if it has none.
		 */
		Role role(String name) {
			return this.roles.getOrDefault(name, Role.DEFAULTS);
		}

	}

	/**
	 * A role that at most one instance has at a time.
	 *
	 * @param enabled Whether this instance may lead.
	 * @param timeout Lease of the leader: if the leader dies, there is no leader until
	 * this time and the grace are over. If not set, redis-lock.timeout applies.
	 * @param resignWhenOutOfService Whether this instance may lead only while it is ready
	 * to accept traffic.
	 * @param leaderOnly Names of beans, or ids of listener containers, that run only on
	 * the leader. They must not start by themselves.
	 */
	record Role(@DefaultValue("true") boolean enabled, @Nullable Duration timeout, boolean resignWhenOutOfService,
			@DefaultValue List<String> leaderOnly) {

		static final Role DEFAULTS = new Role(true, null, false, List.of());

	}

	/**
	 * Acknowledgement of locks by the replicas of Redis.
	 *
	 * @param minAcks Number of replicas that must acknowledge a lock before it counts as
	 * acquired or renewed. If all must do so, it survives a failover. In a Cluster, this
	 * needs Lettuce.
	 */
	record Replication(@DefaultValue("0") int minAcks) {
	}

	/**
	 * Caches in which one caller loads a value for all instances.
	 *
	 * @param loadOnce Names of the caches, or 'true' for all. Callers of a method with
	 * '@Cacheable(sync = true)' then load each value once, if the instances share the
	 * cache.
	 * @param waitTime How long a caller waits for a value that another one loads, at
	 * least 1s. If the loading process dies, another caller loads after about a third of
	 * it.
	 * @param staleFor How old a value may be that a caller still gets when its waiting
	 * time is over. Off if 0.
	 * @param onBusy What a caller does if another one still loads the value when the
	 * waiting time is over, and there is no old value.
	 */
	record Cache(@DefaultValue List<String> loadOnce, @DefaultValue("10s") Duration waitTime,
			@DefaultValue("0s") Duration staleFor, @DefaultValue("load") LoadOnceOptions.OnBusy onBusy) {

		LoadOnceOptions options() {
			return new LoadOnceOptions((name) -> this.loadOnce.contains("true") || this.loadOnce.contains(name),
					this.waitTime, this.staleFor, this.onBusy);
		}

	}

	/**
	 * Independent Redis servers of which a majority decides.
	 *
	 * @param nodes Addresses of the servers, an odd number of at least 3, each as
	 * redis://[user:password@]host[:port][/database], or rediss:// with TLS. Used instead
	 * of spring.data.redis. Needs the module lock-quorum.
	 * @param nodeTimeout How long to wait for a reply from one server. Replaces the
	 * command timeout.
	 */
	record Quorum(@DefaultValue List<String> nodes, @DefaultValue("1s") Duration nodeTimeout) {

		boolean isWanted() {
			return !this.nodes.isEmpty();
		}

	}

	/**
	 * What to do if Redis is configured so that it may lose locks.
	 */
	enum Checks {

		/**
		 * Check in the background, and log a warning for each problem.
		 */
		WARN,

		/**
		 * Check at startup, and fail startup if a problem is found.
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
	enum Store {

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
