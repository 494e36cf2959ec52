package io.github.redislock.observation;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.redislock.leadership.Leadership;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

/**
 * Measures which roles this instance has, how often it was granted each role, and how
 * many calls it skipped because it did not lead. Thread-safe.
 *
 * @see LeadershipMeterDocumentation
 */
public final class LeadershipMeters {

	private final MeterRegistry registry;

	private final Map<String, Counter> skipped = new ConcurrentHashMap<>();

	/**
	 * Create meters without any roles.
	 * @param registry the registry of the meters
	 */
	public LeadershipMeters(MeterRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Register the meters of a role.
	 * @param leadership the leadership of one role
	 */
	public void add(Leadership leadership) {
		String role = leadership.role();
		Gauge.builder(LeadershipMeterDocumentation.LEADER.getName(), leadership, (each) -> each.isLeader() ? 1 : 0)
			.description(LeadershipMeterDocumentation.LEADER.description())
			.tags(tags(role))
			.strongReference(true)
			.register(this.registry);
		Counter grants = counter(LeadershipMeterDocumentation.GRANTS, role);
		leadership.onGranted((term) -> grants.increment());
		skipped(role);
	}

	/**
	 * Count a call that was skipped.
	 * @param role the role that this instance does not lead
	 */
	public void countSkipped(String role) {
		skipped(role).increment();
	}

	private Counter skipped(String role) {
		return this.skipped.computeIfAbsent(role, (name) -> counter(LeadershipMeterDocumentation.SKIPPED, name));
	}

	private Counter counter(LeadershipMeterDocumentation meter, String role) {
		return Counter.builder(meter.getName())
			.description(meter.description())
			.tags(tags(role))
			.register(this.registry);
	}

	private static Tags tags(String role) {
		return Tags.of(LeadershipMeterDocumentation.KeyNames.ROLE.asString(), role);
	}

}
