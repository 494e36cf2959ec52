package io.github.redislock.observation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.redislock.LockTarget;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The names of locks in metrics, whose number is limited.
 * <p>
 * The name of {@link LockTarget#of(String)} is never used as a tag, because
 * {@code "nightly"} cannot be distinguished from {@code "order:" + id}. There may be
 * millions of ids, and each would create a time series that is kept forever. Thread-safe.
 */
final class LockTags {

	/** The tag of all locks without a name for metrics, and of those beyond the limit. */
	static final String OTHER = "other";

	/** The limit for names that are not declared at startup. */
	private static final int MOST_NAMES = 200;

	private static final Log logger = LogFactory.getLog(LockTags.class);

	private final Set<String> declared = ConcurrentHashMap.newKeySet();

	/** The names in use that are not declared. */
	private final Set<String> names = ConcurrentHashMap.newKeySet();

	private final int mostNames;

	private final AtomicBoolean plainNameLogged = new AtomicBoolean();

	private final AtomicBoolean limitLogged = new AtomicBoolean();

	LockTags() {
		this(MOST_NAMES);
	}

	LockTags(int mostNames) {
		this.mostNames = mostNames;
	}

	/**
	 * Allow the metric name of a lock, even beyond the limit.
	 */
	void declare(LockTarget example) {
		String name = example.metricName();
		if (name != null) {
			this.declared.add(name);
			this.names.remove(name);
		}
	}

	/**
	 * Return the name of a lock in metrics.
	 */
	String lock(LockTarget target) {
		String name = target.metricName();
		if (name == null) {
			logPlainName(target);
			return OTHER;
		}
		if (this.declared.contains(name) || this.names.contains(name)) {
			return name;
		}
		// Concurrent callers may exceed the limit by a few.
		if (this.names.size() < this.mostNames) {
			this.names.add(name);
			return name;
		}
		logLimit(name);
		return OTHER;
	}

	private void logPlainName(LockTarget target) {
		if (!this.plainNameLogged.get() && this.plainNameLogged.compareAndSet(false, true)) {
			logger
				.info(("Metrics count lock '%s' as '%s', like every lock whose plain-text name might contain a key. To"
						+ " count it by its name, acquire LockTarget.of(name, key) or set"
						+ " LockTarget.withMetricName(name)")
					.formatted(target, OTHER));
		}
	}

	private void logLimit(String name) {
		if (!this.limitLogged.get() && this.limitLogged.compareAndSet(false, true)) {
			logger.warn(("Metrics already count locks by %s undeclared names, so '%s' and further ones are counted as"
					+ " '%s'. Does the name of a lock, or its metric name, contain a key?")
				.formatted(this.mostNames, name, OTHER));
		}
	}

}
