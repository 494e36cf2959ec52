package io.github.redislock.autoconfigure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.github.redislock.LocalLocks;
import io.github.redislock.LockOperations;
import io.github.redislock.autoconfigure.RedisServerCheck.Finding;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * {@link HealthIndicator} of locks.
 * <p>
 * The status is DOWN while a held lock cannot be renewed or the store accepts no writes,
 * because this instance is about to lose locks or cannot acquire new ones. It is UNKNOWN
 * if a reply is late, or if locks work, but slower or less safely than they should. Locks
 * that other instances hold do not affect the status. A check takes about 250 ms at most,
 * even if Redis hangs.
 */
final class RedisLockHealthIndicator implements HealthIndicator {

	private static final int MOST_SHOWN = 10;

	private final LockOperations locks;

	private final StoreProbe probe;

	private final Supplier<List<Finding>> findings;

	private final Supplier<@Nullable String> place;

	RedisLockHealthIndicator(LockOperations locks, Supplier<List<Finding>> findings, Supplier<@Nullable String> place) {
		this.locks = locks;
		// The application's executor is not used, because all its threads may be busy.
		this.probe = new StoreProbe(locks.async(Runnable::run));
		this.findings = findings;
		this.place = place;
	}

	@Override
	public Health health() {
		String silence = this.probe.trouble();
		String store = (silence == null && this.probe.isWaiting()) ? "no reply yet" : silence;
		LocalLocks present = this.locks.local();
		Map<String, String> unrenewed = unrenewed(present);
		String trouble = present.trouble();
		List<String> problems = this.findings.get().stream().map(Finding::problem).toList();
		Health.Builder health = new Health.Builder(status(silence, unrenewed, store, trouble, problems))
			.withDetail("held", present.held().size())
			.withDetail("waiting", present.waiting().stream().mapToInt(LocalLocks.Waiting::callers).sum());
		// The mapper ignores null.
		PropertyMapper map = PropertyMapper.get();
		map.from(this.place).to((where) -> health.withDetail("redis", where));
		map.from(store).to((reason) -> health.withDetail("store", reason));
		map.from(unrenewed).whenNot(Map::isEmpty).to((failures) -> health.withDetail("notRenewed", failures));
		map.from(trouble).to((reason) -> health.withDetail("handOvers", reason));
		map.from(problems).whenNot(List::isEmpty).to((found) -> health.withDetail("checks", found));
		return health.build();
	}

	private static Status status(@Nullable String silence, Map<String, String> unrenewed, @Nullable String store,
			@Nullable String trouble, List<String> problems) {
		if (silence != null || !unrenewed.isEmpty()) {
			return Status.DOWN;
		}
		return (store != null || trouble != null || !problems.isEmpty()) ? Status.UNKNOWN : Status.UP;
	}

	private static Map<String, String> unrenewed(LocalLocks present) {
		Map<String, String> unrenewed = new LinkedHashMap<>();
		present.held()
			.stream()
			.filter((held) -> held.renewalFailure() != null)
			.limit(MOST_SHOWN)
			.forEach((held) -> unrenewed.put(held.target().toString(), String.valueOf(held.renewalFailure())));
		return unrenewed;
	}

}
